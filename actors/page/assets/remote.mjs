// A server that the page is of: its API, its events as they happen, and who calls. A token is kept in
// memory alone and sent in a header, which no other site can make a browser do.

/** Fetches from a server: its base is the URL of the API, with a slash at the end. A refusal is an error with its
 * status. */
async function get(remote, path, headers, more) {
  const who = remote.token && { Authorization: `Bearer ${remote.token}` };
  const res = await fetch(remote.base + path, { headers: { ...who, ...headers }, cache: "no-store", ...more });
  if (res.ok) return res;
  const { detail = `the server answers ${res.status}` } = await res.json().catch(() => ({}));
  throw Object.assign(new Error(detail), { status: res.status });
}

/** Calls the API; a body makes it a POST. */
export async function call(remote, path, body) {
  const headers = body && { "Content-Type": "application/json" };
  return (await get(remote, path, headers, body && { method: "POST", body: JSON.stringify(body) })).json();
}

/** Returns a parser of a stream of server-sent events that comes in pieces; each has id, kind and data. */
export function eventReader() {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop();
    return blocks.map((block) => {
      const of = (name) => [...block.matchAll(new RegExp(`^${name}: ?(.*)$`, "gm"))].map((m) => m[1]).join("\n");
      return { id: of("id"), kind: of("event"), data: of("data") };
    }).filter((e) => e.data);
  };
}

/** Returns the part of an event's id that names the server process. */
const boot = (id) => id.split("-")[0];

const shortest = 500, longest = 8000; // ms between attempts

/** Takes events from a server as they happen, and goes on where it was when the connection breaks. to.take gets the
 * events that have come, as the server gathers them, and how long their text was; to.reset is told when all that was
 * taken is to be forgotten, as the server sends its state anew; to.tell hears whether the connection is there and why
 * not; to.token asks for one. */
export async function follow(remote, to) {
  let last = "", wait = shortest;
  for (;;) {
    try {
      await read(remote, last, to, (id) => { last = id; wait = shortest; });
      to.tell(false, "the server has ended the stream");
    } catch (e) {
      const unknown = e.status === 401;
      to.tell(false, unknown ? "" : e.message);
      if (unknown) remote.token = await to.token(e.message);
      if (unknown) continue;
      if (e.status < 500 && e.status !== 429) return;
    }
    await new Promise((go) => { setTimeout(go, wait); });
    wait = Math.min(2 * wait, longest);
  }
}

async function read(remote, from, to, passed) {
  const headers = { Accept: "text/event-stream", ...(from && { "Last-Event-ID": from }) };
  const res = await get(remote, "events?state=true", headers), events = eventReader();
  to.tell(true, "");
  const pieces = res.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let last = from; ;) {
    const { done, value } = await pieces.read();
    if (done) return;
    let come = [];
    for (const { id, kind, data } of events(value)) {
      if (kind === "missed" || (id && last && boot(id) !== boot(last))) {
        come = []; // and what came before it
        to.reset();
      }
      if (id) last = id;
      if (kind !== "missed") come.push(data);
    }
    if (come.length) to.take(come.map((data) => JSON.parse(data)), come.join("").length);
    passed(last);
  }
}
