// What the page writes as files: a Chrome trace, and whatever text a screen has.

/** A Chrome trace of a history: a process a node, a row a slot, a bar each time that an attempt ran. */
export function chromeTrace(h) {
  const out = [];
  for (const n of h.nodes.values()) out.push({ name: "process_name", ph: "M", ts: 0, pid: n.id, tid: 0, args: { name: n.name } });
  for (const a of h.attempts) {
    const slots = (h.nodes.get(a.node) || { slots: [0, 0] }).slots;
    for (const [from, to, slot] of a.segments) {
      out.push({
        name: a.id, ph: "X", ts: from / 1000, dur: ((to < 0 ? h.end : to) - from) / 1000, pid: a.node,
        tid: (a.kind ? slots[0] : 0) + (slot || 1) - 1, args: { end: a.end || "runs", locality: a.locality || undefined },
      });
    }
  }
  return JSON.stringify(out);
}

/** Hands a text to the reader as a file. */
export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
