// A server that the page is of: its API, its events as they happen, and who calls. A token is kept in
// memory alone and sent in a header, which no other site can make a browser do.

/** A server's API at a URL that ends in a slash. */
export const newRemote = (base) => ({ base, token: "" });

const headers = (remote, more) => ({ ...(remote.token && { Authorization: `Bearer ${remote.token}` }), ...more });

/** The answer of a server that refuses, as an error with its status. */
async function refusal(res) {
  const { detail } = await res.json().catch(() => ({}));
  return Object.assign(new Error(detail || `the server answers ${res.status}`), { status: res.status });
}

/** Calls the API; a body makes it a POST. */
export async function call(remote, path, body) {
  const post = body === undefined ? null : { method: "POST", body: JSON.stringify(body) };
  const res = await fetch(remote.base + path, { headers: headers(remote, post && { "Content-Type": "application/json" }), cache: "no-store", ...post });
  if (!res.ok) throw await refusal(res);
  return res.json();
}

/** Takes the events of a text that comes in pieces.
 * @returns {(piece: string) => {id: string, kind: string, data: string}[]} */
export function eventReader() {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop();
    return blocks.map((block) => {
      const e = { id: "", kind: "", data: [] };
      for (const line of block.split("\n")) {
        const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
        if (name === "data") e.data.push(value);
        else if (name === "id") e.id = value;
        else if (name === "event") e.kind = value; // and a comment has no name
      }
      return { ...e, data: e.data.join("\n") };
    }).filter((e) => e.data);
  };
}

/** The process of the server that has given an event its id. */
const boot = (id) => id.split("-")[0];

const shortest = 500, longest = 8000; // ms between attempts

/** Takes events from a server as they happen, and goes on where it was when the connection breaks.
 * @param {object} remote
 * @param {{take: (events: object[], size: number) => void, reset: () => void, tell: (there: boolean, why: string) => void, token: (why: string) => Promise<string>}} to
 *   take gets what has come, ten times a second at most, and how long its text was; reset is told when all that was
 *   taken is to be forgotten, as the server sends its state anew; tell hears of the connection; token asks for one */
export async function follow(remote, to) {
  let last = "", wait = shortest;
  for (;;) {
    try {
      await read(remote, last, to, (id) => { last = id; wait = shortest; });
      to.tell(false, "the server has ended the stream");
    } catch (e) {
      const unknown = e.status === 401;
      to.tell(false, unknown ? "" : e.message);
      if (unknown) {
        remote.token = await to.token(e.message);
        continue;
      }
      if (e.status < 500 && e.status !== 429) return;
    }
    await new Promise((go) => { setTimeout(go, wait); });
    wait = Math.min(2 * wait, longest);
  }
}

async function read(remote, from, to, passed) {
  const res = await fetch(`${remote.base}events?state=true`, {
    headers: headers(remote, { Accept: "text/event-stream", ...(from ? { "Last-Event-ID": from } : {}) }), cache: "no-store",
  });
  if (!res.ok) throw await refusal(res);
  to.tell(true, "");
  const pieces = res.body.pipeThrough(new TextDecoderStream()).getReader(), events = eventReader();
  let waiting = [], size = 0, timer = 0, last = from;
  const hand = () => {
    clearTimeout(timer);
    if (waiting.length) to.take(waiting, size);
    [waiting, size, timer] = [[], 0, 0];
  };
  try {
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return;
      for (const e of events(value)) {
        if (e.kind === "missed" || (e.id && last && boot(e.id) !== boot(last))) {
          waiting = []; // and what came before it
          to.reset();
        }
        if (e.id) passed((last = e.id));
        if (e.kind === "missed") continue;
        waiting.push(JSON.parse(e.data));
        size += e.data.length;
      }
      if (!timer) timer = setTimeout(hand, 100);
    }
  } finally {
    hand();
  }
}
