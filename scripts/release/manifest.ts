/**
 * The engines of package.json. A checkout works on Node 20, since its scripts run on the npm package `node`; the package needs a newer one.
 * So the packed package.json says more than the one in the repository, which npm would hold against everybody who runs `npm ci` on Node 20.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** For a checkout. */
export const CHECKOUT_ENGINES = '>=20';
/** For the package: the lines of Node that are maintained, from what cli/bin.mjs asks for. nodejs.org/en/about/previous-releases */
export const PACKED_ENGINES = '^22.19.0 || >=24';

/** The text of package.json with the engines `to`. Throws where it has neither those of a checkout nor those of the package. */
export function withEngines(text: string, to: string): string {
  const line = (engines: string): string => `"engines": {\n    "node": "${engines}"\n  }`;
  const from = [CHECKOUT_ENGINES, PACKED_ENGINES].find((engines) => text.includes(line(engines)));
  if (from === undefined) {
    throw new Error(
      `package.json: engines.node is neither "${CHECKOUT_ENGINES}" nor "${PACKED_ENGINES}". Keep it in step with scripts/release/manifest.ts.`,
    );
  }
  return text.replace(line(from), line(to));
}

/** Whoever reads the file meanwhile sees the one or the other as a whole. */
export function writeEngines(root: string, to: string): void {
  const file = join(root, 'package.json');
  const text = withEngines(readFileSync(file, 'utf8'), to);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
