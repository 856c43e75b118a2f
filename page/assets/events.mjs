// Where the events of a run that is over come from: the page itself (`tarry view`), or a file that the
// reader opens. Whoever takes them gets lists of events in order, and does not know which.

/** Events of a text with a JSON object a line. A line that is none is an error with its number. */
export function parseLines(text) {
  const events = [];
  let from = 0;
  for (let line = 1; from < text.length; line++) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    if (to > from) {
      try {
        events.push(JSON.parse(text.slice(from, to)));
      } catch (e) {
        throw new Error(`line ${line}: ${e.message}`);
      }
    }
    from = to + 1;
  }
  return events;
}

/** The events of the first run in a list: up to the second header. */
export function firstRun(events) {
  const next = events.findIndex((e, i) => i > 0 && e.type === "began");
  return next < 0 ? events : events.slice(0, next);
}

/** Text of gzipped bytes. */
export async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** The events that are embedded in the page: gzipped, in base64. */
export async function embeddedEvents(element) {
  const packed = atob(element.textContent.trim());
  const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
  return firstRun(parseLines(await unpack(bytes)));
}

/** The events of a file that was opened: plain or gzipped lines. */
export async function fileEvents(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return firstRun(parseLines(packed ? await unpack(bytes) : new TextDecoder().decode(bytes)));
}
