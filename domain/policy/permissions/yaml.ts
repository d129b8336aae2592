/** Objects as YAML for kubectl. Pure: JSON's strings are YAML's, and texts of several lines are blocks. */
type Json = unknown;

/** Documents, separated as kubectl wants them. */
export function policiesAsYaml(objects: readonly object[]): string {
  return objects.map((object) => `${block(object, 0)}\n`).join('---\n');
}

function block(value: Json, depth: number): string {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.map((item) => `${indent}- ${inline(item) ?? block(item, depth + 1).trimStart()}`).join('\n');
  }
  return Object.entries(Object(value))
    .map(([key, inner]) => {
      const plain = inline(inner);
      if (plain !== undefined) return `${indent}${key}: ${plain.replaceAll('\n', `\n${indent}  `)}`;
      return `${indent}${key}:\n${block(inner, depth + 1)}`;
    })
    .join('\n');
}

/** undefined: maps, and lists of maps, take lines of their own. */
function inline(value: Json): string | undefined {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return value.every((item) => typeof item !== 'object') ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]` : undefined;
  return Object.keys(value).length === 0 ? '{}' : undefined;
}

function text(value: string): string {
  if (value.includes('\n')) return `|-\n${value}`;
  return /^[A-Za-z][\w./-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value) ? value : JSON.stringify(value);
}
