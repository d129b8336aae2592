/** What the npm package says of itself, and what is in it beside its compiled code (which test/packed looks at). */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CHECKOUT_ENGINES, PACKED_ENGINES, withEngines } from '../../scripts/release/manifest.ts';
import { root, textOf } from '../deploy/files.ts';

const text = textOf('package.json');
const manifest = z
  .object({
    name: z.string(),
    private: z.boolean().optional(),
    license: z.string(),
    author: z.string(),
    description: z.string(),
    keywords: z.array(z.string()),
    homepage: z.string(),
    bugs: z.string(),
    repository: z.object({ type: z.string(), url: z.string() }),
    bin: z.record(z.string(), z.string()),
    publishConfig: z.object({ access: z.string(), provenance: z.boolean() }),
    scripts: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(text));

describe('package.json', () => {
  test('can be published, by whoever can prove where it was built', () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
  });

  test('names one repository', () => {
    const [, at = ''] = /^git\+(https:.*)\.git$/.exec(manifest.repository.url) ?? [];
    expect({ homepage: manifest.homepage, bugs: manifest.bugs }).toEqual({ homepage: `${at}#readme`, bugs: `${at}/issues` });
  });

  test('refuses to publish the folder', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/release/main.ts', 'refuse-folder'], { cwd: root, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('Publish the tarball, not the folder: npm pack, then npm publish ./eks-belay-VERSION.tgz.');
    expect(manifest.scripts['prepublishOnly']).toBe('node scripts/release/main.ts refuse-folder');
  });
});

describe('engines', () => {
  test('are those of a checkout here, and become those of the package and back', () => {
    // While npm packs, beside this test, they are those of the package.
    const here = withEngines(text, CHECKOUT_ENGINES);
    const packed = withEngines(here, PACKED_ENGINES);
    expect(JSON.parse(here)).toMatchObject({ engines: { node: '>=20' } });
    expect(JSON.parse(packed)).toEqual({ ...JSON.parse(here), engines: { node: '^22.19.0 || >=24' } });
    expect(withEngines(packed, PACKED_ENGINES)).toBe(packed);
    expect(withEngines(packed, CHECKOUT_ENGINES)).toBe(here);
  });

  test('start where cli/bin.mjs does', () => {
    const [, major, minor] = /major === (\d+) && minor < (\d+)/.exec(textOf('cli/bin.mjs')) ?? [];
    expect(PACKED_ENGINES.startsWith(`^${major}.${minor}.0 `)).toBe(true);
  });

  test('that nobody knows are not written over', () => {
    expect(() => withEngines('{ "engines": {} }', PACKED_ENGINES)).toThrow(
      'package.json: engines.node is neither ">=20" nor "^22.19.0 || >=24". Keep it in step with scripts/release/manifest.ts.',
    );
  });
});

describe('what can be imported', () => {
  const load = createRequire(`${root}package.json`);

  test.each(['belay', 'readiness', 'forecast', 'snapshot'])('the JSON schema of %s', (name) => {
    expect(load(`eks-belay/schemas/${name}.json`)).toHaveProperty('$schema');
  });

  test('and no code: there is no API but the command and its reports', () => {
    expect(() => load.resolve('eks-belay')).toThrow('No "exports" main defined');
    expect(() => load.resolve('eks-belay/dist/cli/main.js')).toThrow('is not defined by "exports"');
  });
});

describe('npm pack', () => {
  const entry = z.object({ files: z.array(z.object({ path: z.string(), size: z.number() })) });
  // One package is a list of one, or an object by its name, by the version of npm.
  const output = z.union([z.array(entry), z.record(z.string(), entry)]);
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: root, encoding: 'utf8' });
  const files = Object.values(output.parse(JSON.parse(stdout)))
    .flatMap((each) => each.files)
    .filter(({ path }) => !path.startsWith('dist/'));
  const paths = files.map(({ path }) => path);

  test('takes the command, documents, rights and licence', () => {
    const wanted = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'cli/bin.mjs', 'belay.example.yaml', 'docs/check.md'];
    expect(
      [...wanted, 'docs/belay.schema.json', 'deploy/iam-policy.json', 'slack/manifest.yaml'].filter((path) => !paths.includes(path)),
    ).toEqual([]);
    expect(Object.values(manifest.bin).filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('takes nothing else: no test, source, workflow, picture or secret', () => {
    const known =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|belay\.example\.yaml|cli\/bin\.mjs|slack\/manifest\.yaml|docs\/.*\.(md|json)|deploy\/[^/]+\.(json|yaml|md)|deploy\/(two-roles|backup)\/[^/]+)$/;
    expect(paths.filter((path) => !known.test(path))).toEqual([]);
  });

  test('stays small', () => {
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(2_000_000);
  });
});
