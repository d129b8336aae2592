/** Builds DOM nodes without ever parsing HTML, so that no message can smuggle any in. */

/** el('a', { class: 'link', href }, 'text', child): attributes by name, `on…` are listeners, undefined and false leave an attribute out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return node;
}

/** An icon's drawing; see icons.js. */
export function svg(markup, attributes = {}) {
  const holder = document.createElement('template');
  holder.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">${markup}</svg>`;
  const node = holder.content.firstChild;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}
