/**
 * Parts of a release, as .github/workflows/release.yml and npm's own hooks call them:
 *   check TAG       everything is of the tag's version; prints version=…, dist-tag=… and image=… for $GITHUB_OUTPUT
 *   notes TAG       the release notes, from CHANGELOG.md
 *   manifest        package.json as it is packed
 *   restore         package.json as it is in the repository
 *   refuse-folder   what `npm publish` is told without a tarball
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { CHECKOUT_ENGINES, PACKED_ENGINES, writeEngines } from './manifest.ts';
import { type Release, releaseOf } from './release.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

const manifestShape = z.object({ version: z.string(), repository: z.object({ url: z.string() }) });
const chartShape = z.object({ version: z.string(), appVersion: z.string() });

function release(tag: string | undefined): Release {
  const found = releaseOf({
    tag: tag ?? '',
    repository: process.env['GITHUB_REPOSITORY'],
    manifest: manifestShape.parse(JSON.parse(read('package.json'))),
    chart: chartShape.parse(parse(read('deploy/chart/Chart.yaml'))),
    changelog: read('CHANGELOG.md'),
  });
  if ('problems' in found) throw new Error(found.problems.join('\n'));
  return found;
}

function run(command: string | undefined, tag: string | undefined): void {
  switch (command) {
    case 'check': {
      const { version, distTag } = release(tag);
      // A registry has no capitals.
      const image = `ghcr.io/${(process.env['GITHUB_REPOSITORY'] ?? 'example/eks-belay').toLowerCase()}`;
      return console.log(`version=${version}\ndist-tag=${distTag}\nimage=${image}`);
    }
    case 'notes':
      return console.log(release(tag).notes);
    case 'manifest':
      return writeEngines(root, PACKED_ENGINES);
    case 'restore':
      return writeEngines(root, CHECKOUT_ENGINES);
    case 'refuse-folder':
      throw new Error(
        'Publish the tarball, not the folder: npm pack, then npm publish ./eks-belay-VERSION.tgz. What is published is what was tested.',
      );
    default:
      throw new Error(`Unknown command: ${command ?? 'none'}. Use check, notes, manifest, restore or refuse-folder.`);
  }
}

try {
  run(process.argv[2], process.argv[3]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
