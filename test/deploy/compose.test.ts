/** docker-compose.yml holds together: services, start order, secrets, ports, and the same names as everywhere else. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parse } from 'yaml';
import { wholeProgram } from '../../cli/program.ts';
import { parseDurationMs } from '../../domain/core/parse-duration.ts';
import { TEMPORAL_VERSION } from '../../rehearsal/real/parts/table.ts';
import { codecKeys } from '../../worker/crypto/codec/keys.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract/messages.ts';
import { root, textOf } from './files.ts';

const volume = z.union([
  z.string(),
  z.object({ type: z.literal('bind'), source: z.string(), target: z.string(), read_only: z.literal(true) }),
]);
const service = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
  restart: z.string().optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  profiles: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  env_file: z.array(z.object({ path: z.string(), required: z.literal(false) })).optional(),
  volumes: z.array(volume).optional(),
  ports: z.array(z.string()).optional(),
  healthcheck: z.object({ test: z.array(z.string()), retries: z.number(), start_period: z.string() }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.enum(['service_healthy', 'service_completed_successfully']) })).optional(),
  networks: z.array(z.string()).optional(),
  network_mode: z.string().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
});

const compose = z
  .object({
    services: z.record(z.string(), service),
    networks: z.record(z.string(), z.object({ internal: z.boolean().optional() }).nullable()),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(textOf('docker-compose.yml'), { merge: true }));
const { services: rehearsing } = z
  .object({ services: z.record(z.string(), service) })
  .parse(parse(textOf('docker-compose.rehearsal.yml'), { merge: true }));

const { services } = compose;
const all = [...Object.entries(services), ...Object.entries(rehearsing)];
const commands = (await wholeProgram()).commands.map((command) => command.name());
const { version } = z.object({ version: z.string() }).parse(JSON.parse(textOf('package.json')));

function get(name: string): z.infer<typeof service> {
  const found = services[name] ?? rehearsing[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}.`);
  return found;
}

describe('docker-compose.yml', () => {
  test('RA19: the worker is healthy while the file is there that it keeps while it polls', () => {
    const { environment, healthcheck } = get('worker');
    const file = environment?.['BELAY_READY_FILE'] ?? 'none';
    expect(file).toMatch(/^\/tmp\//);
    expect(healthcheck?.test).toEqual(['CMD', 'cat', file]);
  });

  test('starts PostgreSQL, Temporal with UI and codec server, worker and Slack app; the rehearsal by a file of its own', () => {
    expect(Object.keys(services)).toEqual([
      'worker',
      'slack',
      'codec-server',
      'postgresql',
      'temporal-schema',
      'temporal',
      'temporal-namespace',
      'temporal-ui',
      'backup',
    ]);
    // Only by name: "up" does not start it.
    expect(Object.entries(services).flatMap(([name, { profiles }]) => (profiles === undefined ? [] : [name]))).toEqual(['backup']);
    expect(Object.keys(rehearsing)).toEqual(['rehearsal']);
  });

  test.each(all)('%s: image is pinned', (_name, { image, build }) => {
    expect(image).toMatch(/:\d[\w.-]*$/);
    if (build !== undefined) expect(image.split(':')[1]).toBe(version);
  });

  test.each(all)('%s: ports are published on this machine only', (_name, { ports }) => {
    for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test.each(all)('%s: waits for services that exist and can say that they are ready', (_name, { depends_on }) => {
    for (const [name, { condition }] of Object.entries(depends_on ?? {})) {
      const awaited = get(name);
      if (condition === 'service_healthy') expect(awaited.healthcheck).toBeDefined();
      else expect(awaited.restart).toMatch(/^on-failure/);
    }
  });

  test.each(all)('%s: files, volumes and networks exist', (_name, { volumes, networks, entrypoint, build }) => {
    for (const entry of volumes ?? []) {
      const [source = ''] = typeof entry === 'string' ? entry.split(':') : [entry.source];
      // The first is written by whoever sets Belay up, the second made by Docker.
      if (source === './belay.yaml' || source === './backups') continue;
      expect({ source, known: source.startsWith('.') ? existsSync(join(root, source)) : source in compose.volumes }).toEqual({
        source,
        known: true,
      });
    }
    for (const name of networks ?? []) expect(Object.keys(compose.networks)).toContain(name);
    const script = entrypoint?.find((word) => word.startsWith('/setup/'));
    if (script !== undefined) expect(existsSync(join(root, 'deploy/temporal', script.slice('/setup/'.length)))).toBe(true);
    if (build !== undefined) expect(textOf(build.dockerfile)).toMatch(new RegExp(`^FROM .+ AS ${build.target}$`, 'm'));
  });

  test.each(all)('%s: no secret stands in the file', (_name, { environment }) => {
    for (const [name, value] of Object.entries(environment ?? {})) {
      if (/PASSWORD|PWD|TOKEN|SECRET|KEYS/.test(name)) expect(value).toMatch(/^\$\{(POSTGRES_PASSWORD|BELAY_CODEC_KEYS)/);
    }
  });

  test('Belay runs commands that exist, with its files where the image looks for them', () => {
    for (const name of ['worker', 'slack', 'codec-server', 'rehearsal']) expect(commands).toContain(get(name).command?.[0]);
    const dockerfile = textOf('deploy/Dockerfile');
    expect(dockerfile).toContain('BELAY_CONFIG=/belay/belay.yaml');
    for (const name of ['worker', 'slack']) {
      expect(get(name).volumes).toContainEqual({ type: 'bind', source: './belay.yaml', target: '/belay/belay.yaml', read_only: true });
      expect(get(name).environment).toMatchObject({ TEMPORAL_ADDRESS: 'temporal:7233', BELAY_CODEC_KEYS: expect.any(String) });
    }
    // The Slack process reads what the worker records.
    expect(get('worker').volumes).toContainEqual('records:/belay/records');
    expect(get('slack').volumes).toContainEqual('records:/belay/records:ro');
  });

  test('who writes to Temporal, or decodes, has the keys that encrypt: without them nothing starts, and it says how to make one', () => {
    const holders = all.filter(([, { environment }]) => environment?.['BELAY_CODEC_KEYS'] !== undefined);
    expect(holders.map(([name]) => name)).toEqual(['worker', 'slack', 'codec-server', 'backup']);
    for (const [, { environment }] of holders) {
      const [, form, how] =
        /^\$\{BELAY_CODEC_KEYS:\?write BELAY_CODEC_KEYS=(\S+) into \.env, (.+)\}$/.exec(environment?.['BELAY_CODEC_KEYS'] ?? '') ?? [];
      expect(how).toContain('openssl rand -base64 32');
      const made = (form ?? '').replace('KEY', randomBytes(32).toString('base64'));
      expect(codecKeys({ BELAY_CODEC_KEYS: made }).map(({ id }) => id)).toEqual(['first']);
    }
  });

  test('RS1: nothing starts without the key that signs what came from Slack, and only the Slack process has it', () => {
    const holders = all.filter(([, { environment }]) => environment?.['BELAY_SIGNING_KEY'] !== undefined);
    expect(holders.map(([name]) => name)).toEqual(['slack']);
    expect(holders[0]?.[1].environment?.['BELAY_SIGNING_KEY']).toMatch(/^\$\{BELAY_SIGNING_KEY:\?.*belay signing-key.*\}$/);
    // Everything else that the two are given is of both, but for what is the worker's by nature: the file that says that it polls, and what a restore asks of it.
    expect([...Object.keys(get('slack').environment ?? {}), 'BELAY_READY_FILE', 'BELAY_AFTER_RESTORE'].sort()).toEqual(
      [...Object.keys(get('worker').environment ?? {}), 'BELAY_SIGNING_KEY'].sort(),
    );
  });

  test('RS1: Temporal UI only shows', () => {
    for (const [name, { image, environment }] of all.filter(([, each]) => each.image.startsWith('temporalio/ui:')))
      expect([name, image, environment?.['TEMPORAL_DISABLE_WRITE_ACTIONS']]).toEqual(['temporal-ui', expect.any(String), 'true']);
    expect(get('temporal-ui').image).toMatch(/^temporalio\/ui:/);
  });

  test('the codec server is reached from this machine only, where Temporal UI looks for it', async () => {
    const { network_mode: network, command, ports } = get('codec-server');
    expect({ network, command, ports }).toEqual({ network: 'host', command: ['codec-server'], ports: undefined });
    const defaults = (await wholeProgram()).commands.find((known) => known.name() === 'codec-server')?.opts();
    expect(get('temporal-ui').environment?.['TEMPORAL_CODEC_ENDPOINT']).toBe(`http://${defaults?.['host']}:${defaults?.['port']}`);
  });

  test('AWS credentials reach the worker only', () => {
    const holders = all.filter(([, { env_file }]) => env_file?.some(({ path }) => path.includes('aws')));
    expect(holders.map(([name]) => name)).toEqual(['worker']);
    for (const { path } of all.flatMap(([, { env_file }]) => env_file ?? [])) expect(existsSync(join(root, `${path}.example`))).toBe(true);
  });

  test('RS18: the worker is given the token that posts, and nothing of what proves that a request is Slack’s', () => {
    const files = (name: string): string[] => (get(name).env_file ?? []).map(({ path }) => path);
    const variables = (name: string): string[] =>
      files(name).flatMap((path) => [...textOf(`${path}.example`).matchAll(/^(?:# )?(SLACK_\w+)=/gm)].map(([, variable = '']) => variable));
    expect(variables('worker')).toEqual(['SLACK_BOT_TOKEN']);
    expect(variables('slack')).toEqual(['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET']);
    expect(files('codec-server')).toEqual([]);
  });

  test.each(['worker', 'slack', 'codec-server'])('RS18: %s cannot write to its own file system or gain rights', (name) => {
    const { read_only, tmpfs, cap_drop, security_opt } = get(name);
    expect({ read_only, tmpfs, cap_drop, security_opt }).toEqual({
      read_only: true,
      tmpfs: [expect.stringMatching(/^\/tmp:/)],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test('the backup has what backup.sh and restore.sh read, of the database that Temporal uses', () => {
    const { image, entrypoint = [], command = [], environment = {}, volumes = [] } = get('backup');
    // Its pg_dump refuses a server that is newer than itself.
    expect(image).toBe(get('postgresql').image);
    expect([...entrypoint, ...command]).toEqual(['/bin/sh', '/backup/backup.sh']);
    const read = ['backup.sh', 'restore.sh'].flatMap((name) =>
      [...textOf(`deploy/backup/${name}`).matchAll(/\$\{?([A-Z][A-Z_]+)\b/g)].map(([, variable = '']) => variable),
    );
    expect([...new Set(read)].filter((variable) => environment[variable] === undefined && variable !== 'NEXT')).toEqual([]);
    for (const name of ['temporal', 'temporal-schema'])
      for (const variable of ['DBNAME', 'VISIBILITY_DBNAME']) expect(get(name).environment?.[variable]).toBe(environment[variable]);
    expect(get('postgresql').environment).toMatchObject({
      POSTGRES_USER: environment['PGUSER'],
      POSTGRES_PASSWORD: environment['PGPASSWORD'],
    });
    const targets = volumes.map((each) => (typeof each === 'string' ? (each.split(':')[1] ?? '') : each.target));
    expect(targets).toEqual(expect.arrayContaining([environment['BACKUPS'], environment['RECORDS'], environment['BELAY_YAML'], '/backup']));
    for (const name of ['backup.sh', 'restore.sh']) expect(existsSync(join(root, 'deploy/backup', name))).toBe(true);
  });

  test('PostgreSQL talks with Temporal and the backup only', () => {
    expect(compose.networks['database']).toEqual({ internal: true });
    const reaching = all.filter(([, { networks }]) => networks?.includes('database')).map(([name]) => name);
    expect(reaching).toEqual(['postgresql', 'temporal-schema', 'temporal', 'backup']);
    expect(get('postgresql').ports).toBeUndefined();
  });

  test('server and tools of Temporal have one version, and history is kept for 90 days', () => {
    const tags = ['temporal-schema', 'temporal', 'temporal-namespace'].map((name) => get(name).image.split(':')[1]);
    // The one that npm run test:production plays upgrades on.
    expect(new Set(tags)).toEqual(new Set([TEMPORAL_VERSION]));
    expect(parseDurationMs(get('temporal-namespace').environment?.['RETENTION'] ?? '')).toBe(90 * 24 * 3_600_000);
  });

  test('Temporal UI is where `belay init` and the example say', () => {
    expect(get('temporal-ui').ports).toEqual(['127.0.0.1:8233:8080']);
    expect(textOf('belay.example.yaml')).toContain('ui: http://localhost:8233');
    expect(textOf('cli/render/belay-yaml.ts')).toContain('ui: http://localhost:8233');
  });
});

test('create-namespace.sh adds all search attributes, as Keyword', () => {
  const [, names = ''] = /^for name in (.+); do$/m.exec(textOf('deploy/temporal/create-namespace.sh')) ?? [];
  expect(names.split(' ')).toEqual([...SEARCH_ATTRIBUTES]);
});

test.each(['setup-schema.sh', 'create-namespace.sh'])('deploy/temporal/%s is a shell script', (name) => {
  const { status, stderr } = spawnSync('sh', ['-n', join(root, 'deploy/temporal', name)], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
