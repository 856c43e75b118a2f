// Where the events of a run that is over come from: the page itself (`tarry view`), or a file that the
// reader opens. Consumers receive ordered lists of events, whatever the source.

/** Events of a text with a JSON object a line. A line that is none is an error with its number. */
export function parseLines(text) {
  const events = [];
  text.split("\n").forEach((line, i) => {
    try {
      if (line) events.push(JSON.parse(line));
    } catch (e) {
      throw new Error(`line ${i + 1}: ${e.message}`);
    }
  });
  return events;
}

/** The events of the first run in a list: up to the second header. */
export function firstRun(events) {
  const next = events.findIndex((e, i) => i > 0 && e.type === "began");
  return next < 0 ? events : events.slice(0, next);
}

const unpack = (bytes) => through(bytes, new DecompressionStream("gzip"));
/** What becomes of bytes in a stream. */
export const through = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream));
export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
/** What is embedded in an element of the page: gzipped, in base64. */
export const embedded = (element) => unpack(fromBase64(element.textContent.trim()));
export const embeddedEvents = async (element) => firstRun(parseLines(await embedded(element).text()));
export const eventText = (events) => events.map((e) => JSON.stringify(e)).join("\n");

/** The text of a file that was opened: plain or gzipped lines of events. */
export async function fileText(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(bytes).text() : new TextDecoder().decode(bytes);
}
