/** Files of code that others load by their path: TypeScript in a checkout, JavaScript in the npm package. */
import { fileURLToPath } from 'node:url';

/** Path of a module, named without its ending, beside the one whose `import.meta.url` is given. */
export function modulePath(importMetaUrl: string, name: string): string {
  const ending = importMetaUrl.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`${name}.${ending}`, importMetaUrl));
}
