/** The Helm chart: its values are those that its templates read, and its paths and commands are those of the image. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { wholeProgram } from '../../cli/program.ts';
import { root, textOf, yamlOf } from './files.ts';

const folder = 'deploy/chart/templates';
const templates = readdirSync(join(root, folder)).map((name) => textOf(`${folder}/${name}`));
const all = templates.join('\n');
const [values] = yamlOf('deploy/chart/values.yaml');

const template = (name: string): string => textOf(`${folder}/${name}.yaml`);

/** The text of a named template of _helpers.tpl. */
function definition(name: string): string {
  const [, text = ''] = textOf(`${folder}/_helpers.tpl`).split(`define "${name}" -}}`);
  return text.split('{{- define')[0] ?? '';
}

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

  test('runs commands that exist, with files where the image looks for them', async () => {
    const commands = (await wholeProgram()).commands.map((command) => command.name());
    const args = [...all.matchAll(/args: \[([\w-]+)\]/g)].map(([, name = '']) => name).sort();
    expect(args).toEqual(['codec-server', 'doctor', 'slack', 'worker']);
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

  test('RA19: the worker is ready while it polls, and keys of Temporal are mounted where a new one is seen', () => {
    const worker = template('worker');
    expect(worker).toContain('readinessProbe:\n            {{- include "belay.readinessProbe" . | nindent 12 }}\n');
    expect(definition('belay.readinessProbe')).toContain('path: /readyz\n  port: metrics\n');
    // A file that is mounted by subPath stays what it was.
    expect(definition('belay.filesMounts')).not.toContain('subPath');
    for (const text of [worker, template('slack')]) expect(text).toContain('include "belay.filesMounts" $pod');
  });

  test('RA10: on a volume of one node a new release of the worker starts once every pod of the old one has ended', () => {
    expect(template('worker')).toMatch(/\{\{- else \}\}\n( {2}#.*\n)+ {2}strategy:\n {4}type: Recreate\n {2}\{\{- end \}\}\n {2}selector:/);
  });

  test('U5: the Slack process has the records, which one node mounts at a time, and so runs where the worker runs', () => {
    for (const text of [template('worker'), template('slack')]) {
      expect(text).toContain('mountPath: /belay/records\n');
      expect(text).toContain('include "belay.recordsVolume"');
      expect(text).toMatch(/\$pod := dict .* "recorded" true/);
      // A label of the pod itself, or the first of them would wait for the other.
      expect(text).toMatch(/component: \w+\n {8}\{\{- include "belay.recordsLabel" \. \| nindent 8 \}\}\n/);
    }
    expect(definition('belay.recordsVolume')).toContain('claimName: {{ .Release.Name }}-records\n');
    const beside = definition('belay.scheduling');
    expect(beside).toContain('requiredDuringSchedulingIgnoredDuringExecution');
    expect(beside).toContain('include "belay.recordsLabel"');
    expect(definition('belay.boundToANode')).toContain('not (has "ReadWriteMany" .Values.records.accessModes)');
  });

  test('RS1: the Slack process does not start without the key that signs, and nothing else is given it', () => {
    const holders = templates.filter((text) => text.includes('BELAY_SIGNING_KEY'));
    expect(holders).toEqual([template('slack')]);
    expect(holders[0]).toMatch(
      /secretKeyRef:\n +name: \{\{ required "[^"]*belay signing-key[^"]*" \.Values\.signing\.secret \}\}\n +key: BELAY_SIGNING_KEY\n/,
    );
    expect(values).toMatchObject({ signing: { secret: expect.stringMatching(/./) } });
  });

  test('RS18: the worker is given the token that posts, and nothing of what proves that a request is Slack’s', () => {
    expect(all).not.toContain('envFrom');
    const keys = (text: string): string[] => [...text.matchAll(/key: (.*SLACK.*)/g)].map(([, key = '']) => key);
    expect(keys(template('worker'))).toEqual(['SLACK_BOT_TOKEN']);
    expect(keys(template('slack'))).toEqual([
      'SLACK_BOT_TOKEN',
      '{{ ternary "SLACK_SIGNING_SECRET" "SLACK_APP_TOKEN" .Values.slack.http }}',
    ]);
    expect(keys(template('codec-server'))).toEqual([]);
  });

  test('RS18: the role in AWS is the worker’s alone', () => {
    expect(template('worker')).toContain('serviceAccountName: {{ .Release.Name }}-worker\n');
    expect(template('slack')).toContain('serviceAccountName: {{ .Release.Name }}-slack\n');
    const [worker = '', slack = ''] = template('service-account').split('---');
    expect(worker).toContain('.Values.serviceAccount.annotations');
    expect(slack).toContain('name: {{ .Release.Name }}-slack\n');
    // What somebody gives it for a bucket is its own: no value of the worker's.
    expect(slack.match(/\.Values\.[\w.]+/g)).toEqual(['.Values.slack.serviceAccount']);
  });

  test('RS18: containers cannot write to their own file system, gain rights, or run as root', () => {
    expect(definition('belay.containerSecurity')).toMatch(
      /allowPrivilegeEscalation: false\nreadOnlyRootFilesystem: true\ncapabilities:\n {2}drop: \[ALL\]\n/,
    );
    expect(definition('belay.podSecurity')).toMatch(/runAsNonRoot: true\n[\s\S]*seccompProfile:\n {2}type: RuntimeDefault\n/);
    for (const name of ['worker', 'slack']) expect(template(name)).toMatch(/mountPath: \/tmp\n[\s\S]*- name: tmp\n {10}emptyDir:/);
  });

  test('RS18: each component has a NetworkPolicy of its own, and only Prometheus and Slack’s HTTP mode are let in', () => {
    const policies = template('network-policy').split('\n---\n');
    expect(policies.map((text) => /name: \{\{ .Release.Name \}\}-([\w-]+)\n/.exec(text)?.[1])).toEqual(['worker', 'slack', 'codec-server']);
    for (const text of policies) expect(text).toContain('policyTypes: [Ingress, Egress]\n');
    const [worker = '', slack = '', codecServer = ''] = policies;
    const scrapes =
      / {2,4}\{\{- if \.Values\.metrics\.enabled \}\}\n(?: {2}ingress:\n)? {4}\{\{- include "belay\.scrapeIngress" \. \| nindent 4 \}\}\n {2,4}\{\{- end \}\}\n/;
    for (const text of [worker, slack]) expect(text).toMatch(scrapes);
    expect(worker.replace(scrapes, '')).not.toContain('ingress:');
    expect(slack.replace(scrapes, '')).toMatch(
      / {2}ingress:\n {4}\{\{- if \.Values\.slack\.http \}\}\n {4}- ports:\n {8}- \{ port: 3000, protocol: TCP \}\n {4}\{\{- end \}\}\n {2}\{\{- end \}\}/,
    );
    // Not where nodes hand out credentials, and where Pod Identity does only for a bucket.
    const toBucket = / {4}\{\{- if eq \(include "belay\.recordsInBucket" \.\) "yes" \}\}\n[\s\S]*?\n {4}\{\{- end \}\}\n/;
    expect(toBucket.exec(slack)?.[0].match(/169\.254\.[\d.]+/g)).toEqual(['169.254.170.23']);
    expect(slack.replace(toBucket, '')).not.toContain('169.254.');
    expect(codecServer).not.toMatch(/gress:/);
  });

  test('runs without rights on its node and in its cluster', () => {
    const pods = templates.filter((text) => /kind: (Deployment|Pod)\n/.test(text));
    expect(pods).toHaveLength(4);
    for (const text of pods) {
      expect(text).toContain('include "belay.podSecurity"');
      expect(text).toContain('include "belay.containerSecurity"');
      expect(text).toContain('automountServiceAccountToken: false');
    }
    expect(all).not.toMatch(/kind: (Cluster)?Role(Binding)?\b/);
  });
});
