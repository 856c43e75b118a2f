// Where the events of a run that is over come from: the page itself (`tarry view`), or a file that the
// reader opens. Consumers receive ordered lists of events, whatever the source.

/** How many letters are parsed at once. */
const piece = 1 << 19;

/** Events of a text with a JSON object a line. A line that is none is an error with its number. */
export function parseLines(text) {
  const events = [];
  for (let from = 0, to; from < text.length; from = to) {
    to = text.indexOf("\n", from + piece) + 1 || text.length;
    const lines = text.slice(from, to).replace(/\n$/, "");
    let some = null;
    try {
      some = JSON.parse(`[${lines.replaceAll("\n", ",")}]`); // much faster than one by one
    } catch { /* the lines say where */ }
    if (!some || some.length !== count(lines)) some = parseEach(lines, text, from);
    for (const e of some) events.push(e);
  }
  return events;
}

/** How many lines a text has. */
function count(lines) {
  let n = 1;
  for (let at = lines.indexOf("\n"); at >= 0; at = lines.indexOf("\n", at + 1)) n++;
  return n;
}

/** Events of some lines of a text, one by one: there is an empty one among them, or one that is none. */
function parseEach(lines, text, at) {
  const events = [];
  let from = 0;
  for (let line = text.slice(0, at).split("\n").length; from < lines.length; line++) {
    let to = lines.indexOf("\n", from);
    if (to < 0) to = lines.length;
    if (to > from) {
      try {
        events.push(JSON.parse(lines.slice(from, to)));
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
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
  return firstRun(parseLines(await unpack(bytes)));
}

/** The events of a file that was opened: plain or gzipped lines. */
export async function fileEvents(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return firstRun(parseLines(packed ? await unpack(bytes) : new TextDecoder().decode(bytes)));
}
