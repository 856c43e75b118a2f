// The page around a lesson in Chinese: each text of the document is looked up among sentences with holes,
// whose contents are looked up in turn. What is not found stays as it is.

const whole = new Map(), holed = [], were = new WeakMap();

/** Prepares the sentences, each with its translation: {} is a hole, {2} the second. */
function learn(list) {
  for (const [from, to] of list) {
    const pattern = from.replace(/[.?()|+*]/g, "\\$&").replaceAll("{}", "(.+?)");
    if (from.includes("{}")) holed.push([new RegExp(`^${pattern}$`, "s"), to]);
    else whole.set(from, to);
  }
}

function translated(text) {
  if (whole.has(text)) return whole.get(text);
  for (const [pattern, to] of holed) {
    const parts = pattern.exec(text)?.map((part, i) => (i ? translated(part) : ""));
    const list = !/\p{Script=Han}/u.test(to); // of which all must be known
    if (!parts || (list && parts.some((part) => /[a-z] [a-z]/i.test(part)))) continue;
    let n = 0;
    return to.replace(/\{(\d?)\}/g, (_, of) => parts[of || ++n]);
  }
  return text;
}

function put(node) {
  const { data, parentElement: parent } = node;
  if (were.get(node)?.[1] === data || !/[a-z]/i.test(data)) return; // it is done
  if (!parent || parent.closest("script, textarea, pre, option:not([value])")) return;
  const to = data.replace(data.trim(), translated);
  if (to === data) return;
  were.set(node, [data, to]);
  node.data = to;
}

function back(node) {
  const [was, is] = were.get(node) || [];
  if (is === node.data) node.data = was;
}

function each(root, f) {
  if (root.nodeType === Node.TEXT_NODE) f(root);
  for (const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT); walk.nextNode();) f(walk.currentNode);
}

/** Returns a function that turns the page Chinese (true) or English again (false). */
export function chinese(list) {
  learn(list);
  const seen = new MutationObserver((changes) => {
    for (const c of changes) for (const node of c.type === "characterData" ? [c.target] : c.addedNodes) each(node, put);
  });
  return (on) => {
    document.documentElement.lang = on ? "zh" : "en";
    seen.disconnect();
    each(document.body, on ? put : back);
    if (on) seen.observe(document.body, { childList: true, characterData: true, subtree: true });
  };
}
