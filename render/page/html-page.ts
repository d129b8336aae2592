/** A report as one HTML file: nothing is loaded from elsewhere, so it can be attached and kept. */
import { escapeMarkup } from './markup.ts';

/** `allows`: what the page's Content-Security-Policy lets in beside its own style. `style` and `body` are markup already. */
export function htmlPage({ title, style, body, allows = [] }: { title: string; style: string; body: string; allows?: string[] }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${["default-src 'none'", "style-src 'unsafe-inline'", ...allows].join('; ')}">
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
