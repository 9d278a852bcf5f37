// What all pages need of the document.
const byId = (id) => document.getElementById(id);

// An element with text and children; nothing is ever taken for markup.
function element(name, { text, children = [], ...attributes } = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
