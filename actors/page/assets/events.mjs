// Where the events of a run that is over come from: the page itself (`tarry view`), or a file that the
// reader opens. Consumers receive ordered lists of events, whatever the source.

/** Parses a text with one JSON object a line. An error names the line that is none. */
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

/** Returns the events of the first run in a list, up to the header of a second one. */
export function firstRun(events) {
  const next = events.findIndex((e, i) => i > 0 && e.type === "began");
  return next < 0 ? events : events.slice(0, next);
}

const unpack = (bytes) => through(bytes, new DecompressionStream("gzip"));
/** Sends bytes through a transforming stream and returns its result. */
export const through = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream));
export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
/** Unpacks the text that an element of the page contains, gzipped and in base64. */
export const embedded = (element) => unpack(fromBase64(element.textContent.trim()));
export const embeddedEvents = async (element) => firstRun(parseLines(await embedded(element).text()));
export const eventText = (events) => events.map((e) => JSON.stringify(e)).join("\n");

/** Returns the text of a file that the reader opened, unzipped if it is gzipped. */
export async function fileText(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? unpack(bytes).text() : new TextDecoder().decode(bytes);
}
