/** Back from tokens to names, for whoever has the map. */

const TOKEN = /\b[a-z][a-z-]*-[a-z]{6}\b/g;

/** Every token of the map that stands in the text as its name. Tokens that it does not have stay what they are. */
export function withNames(text: string, map: Readonly<Record<string, string>>): string {
  return text.replace(TOKEN, (token) => (Object.hasOwn(map, token) ? (map[token] ?? token) : token));
}
