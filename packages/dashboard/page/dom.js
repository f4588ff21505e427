/** Makes an element: text stays text, whatever it holds. */
export function element(tag, { text, children = [], on = {}, ...attributes } = {}) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}

/** Touches the document only for what is new: screen readers hear of every change. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
