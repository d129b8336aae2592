/** Escapes text for HTML and Markdown. */

/** For HTML and XML, in text and in attributes. */
export function escapeMarkup(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (sign) => names[sign] ?? sign);
}

/** For Markdown, where names must not become markup. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]<>|#]/g, '\\$&');
