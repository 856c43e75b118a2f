// Where events come from: the page itself (`tarry view`), a file that the reader opens, or a server
// that sends them. Whoever takes them gets lists of events in order, and does not know which.

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

/** All kinds of events: a server may send each under its own name. */
export const kinds = [
  "began", "joined", "lost", "cordoned", "avoided", "admitted", "submitted", "priority", "pool", "finished", "launched", "progress",
  "suspended", "resumed", "succeeded", "failed", "killed", "output-lost", "victim", "skipped", "shares", "need", "warning",
  "reconfigured", "reload-failed",
];

/**
 * Takes events from a server as they happen: server-sent events, one JSON object each. After an
 * interruption the browser goes on where it was, by the id of the last one.
 * @param {string} url
 * @param {(events: object[]) => void} take gets what has come, some times a second at most
 * @param {(connected: boolean) => void} tell is told when the connection is there or lost
 * @returns {() => void} ends it
 */
export function streamEvents(url, take, tell) {
  const source = new EventSource(url);
  let waiting = [];
  let timer = 0;
  const hand = () => {
    timer = 0;
    const events = waiting;
    waiting = [];
    take(events);
  };
  const come = (m) => {
    waiting.push(JSON.parse(m.data));
    if (!timer) timer = setTimeout(hand, 100);
  };
  for (const kind of ["message", ...kinds]) source.addEventListener(kind, come);
  source.onopen = () => tell(true);
  source.onerror = () => tell(false);
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
