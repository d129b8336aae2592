/** The Helm chart: its values are those that its templates read, and its paths and commands are those of the image. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createProgram } from '../../cli/program.ts';
import { root, textOf, yamlOf } from './files.ts';

const folder = 'deploy/chart/templates';
const templates = readdirSync(join(root, folder)).map((name) => textOf(`${folder}/${name}`));
const all = templates.join('\n');
const [values] = yamlOf('deploy/chart/values.yaml');

function has(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  return typeof value === 'object' && value !== null && key in value && has(Reflect.get(value, key), rest);
}

describe('deploy/chart', () => {
  test('has the version of the project', () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(textOf('package.json')));
    expect(yamlOf('deploy/chart/Chart.yaml')[0]).toMatchObject({ version, appVersion: version });
  });

  test('every value that a template reads has a default', () => {
    const read = [...new Set([...all.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path = '']) => path))];
    expect(read).toContain('temporal.address');
    expect(read.filter((path) => !has(values, path.split('.')))).toEqual([]);
  });

  test('every default is read by a template', () => {
    const top = Object.keys(z.record(z.string(), z.unknown()).parse(values));
    expect(top.filter((key) => !all.includes(`.Values.${key}`))).toEqual([]);
  });

  test('runs commands that exist, with files where the image looks for them', () => {
    const commands = createProgram().commands.map((command) => command.name());
    const args = [...all.matchAll(/args: \[([\w-]+)\]/g)].map(([, name = '']) => name).sort();
    expect(args).toEqual(['codec-server', 'slack', 'worker']);
    expect(args.filter((name) => !commands.includes(name))).toEqual([]);
    const dockerfile = textOf('deploy/Dockerfile');
    for (const path of ['/belay/belay.yaml', '/belay/records']) {
      expect(all).toContain(`mountPath: ${path}\n`);
      expect(dockerfile).toContain(path);
    }
  });

  test('takes secrets by reference only', () => {
    expect(all).not.toMatch(/kind: Secret\b/);
    expect(JSON.stringify(values)).not.toMatch(/xox[bap]-|xapp-|AKIA/);
  });

  test('no process starts without the keys that encrypt what Temporal stores', () => {
    for (const text of templates.filter((each) => each.includes('kind: Deployment'))) expect(text).toContain('include "belay.env"');
    const env = /define "belay.env"[\s\S]*?\n\{\{- end \}\}/.exec(all)?.[0] ?? '';
    expect(env).toMatch(
      /- name: BELAY_CODEC_KEYS\n {2}valueFrom:\n {4}secretKeyRef:\n {6}name: \{\{ required "[^"]*openssl rand -base64 32[^"]*" \.Values\.codec\.secret \}\}\n {6}key: BELAY_CODEC_KEYS\n/,
    );
    expect(env).not.toContain('optional');
    expect(values).toMatchObject({ codec: { secret: expect.stringMatching(/./) } });
  });

  test('the codec server is reached by a forwarded port alone', () => {
    const server = templates.find((text) => text.includes('-codec-server\n')) ?? '';
    expect(server).not.toMatch(/kind: Service|containerPort|--host/);
  });

  test('runs without rights on its node and in its cluster', () => {
    const pods = templates.filter((text) => text.includes('kind: Deployment'));
    expect(pods).toHaveLength(3);
    for (const text of pods) {
      expect(text).toContain('include "belay.podSecurity"');
      expect(text).toContain('include "belay.containerSecurity"');
      expect(text).toContain('automountServiceAccountToken: false');
    }
    expect(all).not.toMatch(/kind: (Cluster)?Role(Binding)?\b/);
  });
});
