/** XML of the query protocols: structures are elements, lists have elements called `member` (query) or `item` (EC2). */

export type XmlValue = string | number | boolean | Date | undefined | readonly XmlValue[] | { readonly [name: string]: XmlValue };

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

export const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** Content of an element. Absent members leave no element behind. Dates are ISO 8601. */
export function xml(value: XmlValue, item: 'member' | 'item'): string {
  if (value === undefined) return '';
  if (isList(value)) return value.map((each) => `<${item}>${xml(each, item)}</${item}>`).join('');
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object') return escapeXml(String(value));
  return Object.entries(value)
    .map(([name, inner]) => (inner === undefined ? '' : `<${name}>${xml(inner, item)}</${name}>`))
    .join('');
}

export function isList(value: XmlValue): value is readonly XmlValue[] {
  return Array.isArray(value);
}
