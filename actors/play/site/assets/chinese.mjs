// The page around a lesson in Chinese: each text of the document is looked up among sentences with holes,
// whose contents are looked up in turn. What is not found stays as it is.

const whole = new Map(), holed = [], were = new WeakMap();

/** Takes the sentences, each with its translation: {} is a hole, {2} the second. */
function learn(list) {
  for (const [from, to] of list) {
    if (from.includes("{}")) holed.push([new RegExp(`^${from.replace(/[.?()|+*]/g, "\\$&").replaceAll("{}", "(.+?)")}$`, "s"), to]);
    else whole.set(from, to);
  }
}

/** A text in Chinese. */
export function translated(text) {
  if (whole.has(text)) return whole.get(text);
  for (const [pattern, to] of holed) {
    const m = pattern.exec(text), parts = m && m.map((part, i) => (i ? translated(part) : ""));
    let n = 0;
    if (!m || (!/\p{Script=Han}/u.test(to) && parts.some((part) => /[a-z] [a-z]/i.test(part)))) continue; // a list, of which some is not known
    return to.replace(/\{(\d?)\}/g, (_, of) => parts[of || ++n]);
  }
  return text;
}

function put(node) {
  const text = node.data.trim();
  if ((were.get(node) || [])[1] === node.data) return; // it is done
  if (!/[a-z]/i.test(text) || !node.parentElement || node.parentElement.closest("script, textarea, pre, option:not([value])")) return;
  const to = node.data.replace(text, () => translated(text));
  if (to === node.data) return;
  were.set(node, [node.data, to]);
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

/** Makes what turns the page Chinese and back again. */
export function chinese(list) {
  learn(list);
  const seen = new MutationObserver((changes) => { for (const c of changes) for (const node of c.type === "characterData" ? [c.target] : c.addedNodes) each(node, put); });
  return (on) => {
    document.documentElement.lang = on ? "zh" : "en";
    seen.disconnect();
    each(document.body, on ? put : back);
    if (on) seen.observe(document.body, { childList: true, characterData: true, subtree: true });
  };
}
