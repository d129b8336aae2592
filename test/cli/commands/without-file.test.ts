/** Commands without belay.yaml, against the twin: by context, by name, and each way in which that fails, with its fix. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Command } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkCommand } from '../../../cli/commands/check.ts';
import { fleetCommand } from '../../../cli/commands/fleet.ts';
import { forecastCommand } from '../../../cli/commands/forecast.ts';
import { planCommand } from '../../../cli/commands/plan.ts';
import { snapshotCommand } from '../../../cli/commands/snapshot.ts';
import { exitCodeOf } from '../../../cli/shared/errors.ts';
import { chooseScenario } from '../../../rehearsal/play/choose.ts';
import { setStage, type Stage } from '../../../rehearsal/play/stage/stage.ts';
import { findCluster } from '../../../worker/local/without-file/find-cluster.ts';

const ARN = 'arn:aws:eks:eu-central-1:111122223333:cluster/small';
const NOTE =
  'No belay.yaml was used: it adds owners (Terraform, Argo CD, Flux), health checks, windows, approvers, waivers and records. "belay init" writes a first one.\n';

let home: string;
let stage: Stage;
let serverUrl: string;
const out: string[] = [];
const err: string[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'belay-without-file-'));
  stage = await setStage({ scenario: chooseScenario('small'), speed: 600, faults: [], temporalUi: () => undefined });
  serverUrl = stage.kubernetes.url;
});
afterAll(async () => {
  await stage.close();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(() => {
  out.length = 0;
  err.length = 0;
  process.chdir(home);
  for (const name of Object.keys(process.env)) if (/^(AWS_|BELAY_|TEMPORAL_|KUBECONFIG)/.test(name)) delete process.env[name];
  Object.assign(process.env, {
    HOME: home,
    NO_COLOR: '1',
    AWS_ENDPOINT_URL: stage.aws.url,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'test',
    KUBECONFIG: kubeconfig('config', { name: 'work', cluster: ARN }),
  });
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Context {
  name: string;
  cluster: string;
  server?: string;
  exec?: object;
}

/** The first one is the current context; none: there is no current one. */
function kubeconfig(file: string, ...contexts: Context[]): string {
  const path = join(home, file);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': contexts[0]?.name ?? '',
    clusters: contexts.map(({ cluster, server = serverUrl }) => ({ name: cluster, cluster: { server } })),
    users: contexts.map(({ name, exec }) => ({ name, user: { exec } })),
    contexts: contexts.map(({ name, cluster }) => ({ name, context: { cluster, user: name } })),
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Its exit code and what stderr says, with what it ends with; progress left out. */
async function run(command: Command, ...args: string[]): Promise<{ code: number; said: string }> {
  const said = (): string => err.join('').replace(/^Read .*\n/gm, '');
  try {
    await command.parseAsync(['node', 'belay', ...args]);
    return { code: 0, said: said() };
  } catch (error) {
    return { code: exitCodeOf(error), said: `${said()}${error instanceof Error ? error.message : String(error)}\n` };
  }
}

const check = (...args: string[]) => run(checkCommand(), '--only', 'EKS001', ...args);

/** What the API server or EKS answers instead; the rest is served. */
function answering(api: 'eks' | 'kubernetes', status: number, code: string, message: string, operation?: string): void {
  vi.spyOn(stage.built.world.faults, 'meet').mockImplementation((arrival) =>
    arrival.api === api && (operation === undefined || arrival.operation === operation)
      ? { kind: 'refuse', status, code, message }
      : undefined,
  );
}

describe('U10: the cluster', () => {
  const found = 'small is at 1.31, in account 111122223333, eu-central-1';
  const next = 'Target 1.32: the next version that EKS offers. To choose another one, use --target.\n';

  test('of the current context, to the next version that EKS offers', async () => {
    expect(await check()).toEqual({ code: 0, said: `${found} (context work).\n${next}${NOTE}` });
    expect(out.join('')).toMatch(/\nReady for 1\.32\.\n$/);
  });

  test('of another context, by what eksctl writes', async () => {
    process.env['KUBECONFIG'] = kubeconfig(
      'two',
      { name: 'kind', cluster: 'kind' },
      { name: 'ada', cluster: 'small.eu-central-1.eksctl.io' },
    );
    expect(await check('--context', 'ada', '-t', '1.32')).toEqual({ code: 0, said: `${found} (context ada).\n${NOTE}` });
  });

  test('by its name: an argument, --cluster, with the region of the flag or of AWS_REGION', async () => {
    expect((await check('small', '--region', 'eu-central-1', '-t', '1.32')).code).toBe(0);
    process.env['AWS_REGION'] = 'eu-central-1';
    err.length = 0;
    expect(await check('--cluster', 'small', '-t', '1.32')).toEqual({ code: 0, said: `${found}.\n${NOTE}` });
  });

  test('with another role: that of --role asks, whose rights count', async () => {
    const { eks } = stage.built.world;
    const [assumed, role] = [eks.assumed.length, 'arn:aws:iam::111122223333:role/nobody'];
    const asked = () => check('--cluster', 'small', '--region', 'eu-central-1', '--role', role);
    // The stand-in has granted this role nothing, and whoever assumes it everything.
    expect(await asked()).toEqual({ code: 1, said: expect.stringContaining('is not authorized to perform: eks:DescribeCluster') });
    expect(eks.assumed.slice(assumed).map((each) => each.role)).toEqual([role]);
    eks.unassumable = [{ role: 'role/nobody', asked: 0 }];
    try {
      expect(await asked()).toEqual({ code: 1, said: expect.stringContaining('is not authorized to perform: sts:AssumeRole') });
    } finally {
      delete eks.unassumable;
    }
  });

  test('by its name alone, where only a kubeconfig says the region', async () => {
    expect(await check('small', '-t', '1.32')).toEqual({ code: 0, said: `${found} (context work).\n${NOTE}` });
  });

  test('programs of a kubeconfig are not run, and tokens are Belay’s own', async () => {
    const ran = join(home, 'ran');
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch', args: [ran, 'eks', 'get-token'] };
    process.env['KUBECONFIG'] = kubeconfig('exec', { name: 'work', cluster: ARN, exec });
    expect((await check('-t', '1.32')).code).toBe(0);
    expect(() => readFileSync(ran)).toThrow(/ENOENT/);
  });

  test('chosen from those of the region, where somebody can be asked and no context says one', async () => {
    const asked: unknown[] = [];
    const choose = async (region: string, names: readonly string[]): Promise<string> => {
      asked.push([region, ...names]);
      return names[0] ?? '';
    };
    expect(await findCluster({ choose })).toMatchObject({ cluster: 'small', context: 'work' });
    expect(asked).toEqual([]);
    process.env['KUBECONFIG'] = kubeconfig('only-kind', { name: 'kind', cluster: 'kind' });
    process.env['AWS_REGION'] = 'eu-central-1';
    expect(await findCluster({ choose })).toMatchObject({ cluster: 'small', region: 'eu-central-1', version: '1.31' });
    expect(asked).toEqual([['eu-central-1', 'small']]);
    // Who names a context means it.
    await expect(findCluster({ choose, context: 'kind' })).rejects.toMatchObject({ problem: { kind: 'not-eks' } });
  });

  test('belay.yaml goes first where it is there, without a line about itself; its target before what EKS offers', async () => {
    const text = (more: string) => `clusters:\n  small: { region: eu-central-1, account: "111122223333"${more} }\n`;
    writeFileSync(join(home, 'with.yaml'), text(', target: "1.33"'));
    writeFileSync(join(home, 'without.yaml'), text(''));
    expect(await check('small', '-c', 'with.yaml', '--fail-on', 'never')).toEqual({ code: 0, said: '' });
    expect(out.join('')).toContain('1.31 → 1.33');
    expect(await check('small', '-c', 'without.yaml')).toEqual({ code: 0, said: next });
  });
});

describe('U10: the other commands', () => {
  test('plan, with nothing on stderr where a program reads', async () => {
    expect(await run(planCommand(), '--format', 'json')).toEqual({ code: 0, said: '' });
    expect(JSON.parse(out.join(''))).toMatchObject({ kind: 'plan', plan: { to: '1.32' } });
  });

  test('snapshot', async () => {
    const file = join(home, 'small.gz');
    const taken = await run(snapshotCommand(), '-o', file);
    expect(taken.said).toContain(NOTE);
    expect(JSON.parse(gunzipSync(readFileSync(file)).toString().split('\n')[0] ?? '')).toMatchObject({ cluster: { name: 'small' } });
  });

  test('forecast', async () => {
    const forecast = await run(forecastCommand(), '--runs', '1');
    expect(forecast.code).toBe(0);
    expect(forecast.said).toContain(NOTE);
    expect(out.join('')).toContain('1.32');
  });

  test('fleet: the clusters of the account in the region', async () => {
    const { code, said } = await run(fleetCommand(), '--region', 'eu-central-1');
    expect({ code, said }).toEqual({
      code: 0,
      said: 'No belay.yaml was used: it adds other accounts, environments, open runs, campaigns and maintenance windows. "belay init" writes a first one.\n',
    });
    expect(out.join('')).toMatch(/^small +111122223333 +eu-central-1 +- +1\.31 +standard +2025-11-26 +\d+$/m);
    expect(out.join('').replace(/\s+/g, ' ')).toContain('without a worker: There is no belay.yaml, and Temporal was not asked.');
  });

  /** The twin is in whatever region it is asked for: here EKS answers `instead` in us-east-1. */
  async function withElsewhere(instead: { status: number; error?: string; body: object }, work: () => Promise<void>): Promise<void> {
    const elsewhere = createHttpServer((request, response) => {
      if (request.url?.startsWith('/clusters') === true && request.headers.authorization?.includes('/us-east-1/eks/') === true) {
        response.writeHead(instead.status, { 'content-type': 'application/json', 'x-amzn-errortype': instead.error ?? '' });
        return void response.end(JSON.stringify(instead.body));
      }
      const { method, headers, url } = request;
      const on = httpRequest(new URL(url ?? '/', stage.aws.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(on);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const address = elsewhere.address();
    process.env['AWS_ENDPOINT_URL'] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    try {
      await work();
    } finally {
      elsewhere.close();
      elsewhere.closeAllConnections();
    }
  }

  test('fleet: one of several regions without clusters is said, and the others are shown', async () => {
    await withElsewhere({ status: 200, body: { clusters: [] } }, async () => {
      const { code, said } = await run(fleetCommand(), '--region', 'eu-central-1,us-east-1');
      expect([code, said.split('\n')[0]]).toEqual([0, 'No EKS cluster in us-east-1.']);
      expect(out.join('')).toMatch(/^small +111122223333 +eu-central-1 /m);
    });
  });

  const REFUSED = [
    [
      { status: 403, error: 'UnrecognizedClientException', body: { message: 'The security token included in the request is invalid.' } },
      'AWS accepts these credentials in eu-central-1, and not there (UnrecognizedClientException): enable the region for the account, such as by "aws account enable-region --region-name us-east-1", or leave the region out of --region',
    ],
    [
      { status: 403, error: 'AccessDeniedException', body: { message: 'An SCP denies eks:ListClusters' } },
      "looking for clusters in us-east-1: AWS answered AccessDeniedException (An SCP denies eks:ListClusters); allow it in the role's IAM policy (see deploy/); or leave the region out of --region",
    ],
  ] as const;
  test.each(REFUSED)(
    'fleet: a region that refuses is unknown, with the fix, beside the clusters of the others: %o',
    async (instead, why) => {
      await withElsewhere(instead, async () => {
        const regions = ['--region', 'eu-central-1,us-east-1'];
        const { code, said } = await run(fleetCommand(), ...regions);
        expect([code, said]).toEqual([0, expect.stringMatching(/^No belay.yaml was used/)]);
        const text = out.join('').replace(/\s+/g, ' ');
        expect(text).toMatch(/ small 111122223333 eu-central-1 /);
        expect(text).toContain(`could not be listed ? us-east-1 ${why}`);
        expect(text).toContain('The clusters in us-east-1 could not be listed: nothing is known about them.');
        expect(text).not.toContain('Nothing is due');
        out.length = 0;
        await run(fleetCommand(), ...regions, '-o', 'json');
        expect(JSON.parse(out.join(''))).toMatchObject({ counts: { clusters: 1 }, unreadRegions: [{ region: 'us-east-1', why }] });
        out.length = 0;
        await run(fleetCommand(), ...regions, '-o', 'html');
        expect(out.join('')).toContain('The clusters in us-east-1 could not be listed, and are in no count here');
        err.length = 0;
        expect((await run(fleetCommand(), ...regions, '-o', 'csv')).said).toContain(
          `The clusters in us-east-1 could not be listed: ${why}.\n`,
        );
        // Alone, or beside regions without clusters, it is why the command cannot run.
        expect((await run(fleetCommand(), '--region', 'us-east-1')).code).toBe(1);
      });
    },
  );

  test('fleet: of the current context where nothing else says a region; filters name what is wrong', async () => {
    expect((await run(fleetCommand(), '--format', 'json')).code).toBe(0);
    expect(JSON.parse(out.join(''))).toMatchObject({ counts: { clusters: 1 } });
    expect((await run(fleetCommand(), '--cluster', 'smal')).said).toBe(
      'No cluster in this account matches --cluster smal. Did you mean small? There are: small.\n',
    );
    expect((await run(fleetCommand(), '--environment', 'dev')).said).toBe(
      '--environment needs a belay.yaml, which says which cluster is in which environment.\n',
    );
    expect((await run(fleetCommand(), '--region', 'frankfurt')).said).toBe(
      '--region frankfurt is not an AWS region. Use an AWS region such as eu-west-1.\n',
    );
  });
});

describe('what fails names its fix', () => {
  const here = ['--region', 'eu-central-1', '-t', '1.32'];

  test('no kubeconfig', async () => {
    process.env['KUBECONFIG'] = join(home, 'nowhere');
    expect(await check()).toEqual({
      code: 1,
      said: `Which cluster? There is no belay.yaml here, and no kubeconfig at ${home}/nowhere. Name the cluster with --cluster NAME --region REGION, or write a kubeconfig with "aws eks update-kubeconfig --name NAME --region REGION".\n`,
    });
  });

  test('a kubeconfig that is no YAML', async () => {
    const path = join(home, 'broken');
    writeFileSync(path, '{ a: [');
    const { code, said } = await check('--kubeconfig', path);
    expect(code).toBe(1);
    expect(said).toMatch(/^Could not read the kubeconfig \S+broken \(.+\)\. Correct it, or name another one with --kubeconfig FILE\.\n$/);
  });

  test('no current context, an unknown one, one that is not of EKS', async () => {
    const path = kubeconfig('contexts', { name: '', cluster: 'x' }, { name: 'work', cluster: ARN }, { name: 'kind', cluster: 'kind' });
    process.env['KUBECONFIG'] = path;
    expect((await check()).said).toBe(`No current context is set in ${path}. Name one with --context NAME: work, kind.\n`);
    expect((await check('--context', 'wrok')).said).toBe(
      `There is no context "wrok" in ${path}. Did you mean "work"? Name one with --context NAME: work, kind.\n`,
    );
    const why =
      'is not recognized as an EKS cluster: its cluster name is neither an EKS ARN nor one by eksctl, and its user does not run "aws eks get-token". Name another one with --context, or the cluster with --cluster NAME --region REGION.\n';
    expect(await check('--context', 'kind')).toEqual({ code: 1, said: `Context "kind" ${why}` });
    process.env['KUBECONFIG'] = kubeconfig('kind', { name: 'kind', cluster: 'kind' });
    expect((await check()).said).toBe(`The current context "kind" ${why}`);
  });

  test('no region', async () => {
    process.env['KUBECONFIG'] = join(home, 'nowhere');
    expect((await check('prod')).said).toBe(
      'Which region? Nothing says where prod is: add --region eu-west-1, or set AWS_REGION or region in the AWS profile.\n',
    );
    expect((await run(fleetCommand())).said).toBe(
      'Which region? Nothing says where to look for clusters: add --region eu-west-1, or set AWS_REGION or region in the AWS profile.\n',
    );
  });

  test('nobody to ask which', async () => {
    expect((await check('--region', 'eu-central-1')).said).toBe('Which cluster? Name one of eu-central-1 with --cluster NAME: small.\n');
  });

  test('several of one name', async () => {
    process.env['AWS_REGION'] = 'eu-central-1';
    process.env['KUBECONFIG'] = kubeconfig(
      'several',
      { name: 'eu', cluster: ARN },
      { name: 'us', cluster: ARN.replace('eu-central-1', 'us-east-1') },
      { name: 'eu-again', cluster: 'small.eu-central-1.eksctl.io' },
    );
    expect(await check('small')).toEqual({
      code: 1,
      said: 'Several clusters are called small: eu-central-1 in account 111122223333 (--context eu), us-east-1 in account 111122223333 (--context us). Name one with --context, or with --cluster small --region REGION.\n',
    });
  });

  test('not found in the region: near names, and where a kubeconfig has one', async () => {
    expect(await check('smal', ...here)).toEqual({
      code: 1,
      said: 'No cluster smal in eu-central-1 of account 111122223333. Did you mean small? There is: small. To look elsewhere, use --region or --profile.\n',
    });
    process.env['KUBECONFIG'] = kubeconfig('elsewhere', { name: 'us', cluster: 'arn:aws:eks:us-east-1:444455556666:cluster/prod' });
    expect((await check('prod', ...here)).said).toBe(
      'No cluster prod in eu-central-1 of account 111122223333. Your kubeconfig has one in us-east-1 in account 444455556666 (--context us). There is: small. To look elsewhere, use --region or --profile.\n',
    );
  });

  test('credentials of another account than the context’s', async () => {
    process.env['KUBECONFIG'] = kubeconfig('other', { name: 'work', cluster: ARN.replace('111122223333', '444455556666') });
    expect((await check()).said).toBe(
      'The context of small is for account 444455556666, but these AWS credentials are for account 111122223333. Use other credentials with --profile NAME or --role ARN.\n',
    );
  });

  test('a session of credentials that has ended', async () => {
    answering('eks', 403, 'ExpiredTokenException', 'The security token included in the request is expired');
    expect((await check('small', ...here)).said).toBe(
      'The session of these AWS credentials has ended (The security token included in the request is expired). Sign in again, or renew AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.\n',
    );
  });

  test('EKS does not say what it offers, or offers nothing newer', async () => {
    answering('eks', 403, 'AccessDeniedException', 'no', 'DescribeClusterVersions');
    const { code, said } = await check();
    expect(code).toBe(1);
    expect(said).toMatch(
      /\nWhich version\? EKS did not say what it offers after 1\.31 \(.*AccessDeniedException.*\)\. Name it with --target 1\.34\.\n$/,
    );
    vi.restoreAllMocks();
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
    const { eks } = stage.built.world;
    const all = eks.versions.splice(0);
    eks.versions.push(...all.filter(({ version }) => version <= '1.31'));
    try {
      err.length = 0;
      expect((await check()).said).toMatch(
        /\nsmall is at 1\.31, and EKS offers nothing newer\. To use a version anyway, name it with --target\.\n$/,
      );
    } finally {
      eks.versions.splice(0, Infinity, ...all);
    }
  });

  test('no access entry, and no rights', async () => {
    answering('kubernetes', 401, 'Unauthorized', 'Unauthorized');
    expect(await check('small', ...here)).toEqual({
      code: 1,
      said: 'The API server of small does not know arn:aws:sts::111122223333:assumed-role/belay/rehearsal (401). Give its IAM role an access entry: "aws eks create-access-entry --cluster-name small --region eu-central-1 --principal-arn ROLE_ARN --kubernetes-groups belay-readers", and bind that group to the ClusterRole that "belay check --permissions" prints. Or use another identity with --profile or --role.\n',
    });
    answering('kubernetes', 403, 'Forbidden', 'nodes is forbidden');
    const { code, said } = await check('small', ...here);
    expect(code).toBe(1);
    expect(said).toMatch(
      /^arn:aws:sts::111122223333:assumed-role\/belay\/rehearsal may not read the nodes of small \(.*nodes is forbidden.*\)\. Bind the ClusterRole that "belay check --permissions" prints to its access entry's group; access policy AmazonEKSAdminViewPolicy is enough as well, but also lets it read Secrets\.\n$/,
    );
  });

  test('a cluster that takes no access entries: its aws-auth', async () => {
    const { cluster } = stage.built.world.eks;
    const before = cluster.authenticationMode;
    cluster.authenticationMode = 'CONFIG_MAP';
    try {
      answering('kubernetes', 401, 'Unauthorized', 'Unauthorized');
      expect((await check('small', ...here)).said).toBe(
        'The API server of small does not know arn:aws:sts::111122223333:assumed-role/belay/rehearsal (401). Its authentication mode is CONFIG_MAP: map the IAM role in ConfigMap kube-system/aws-auth, such as by "eksctl create iamidentitymapping --cluster small --region eu-central-1 --arn ROLE_ARN --group belay-readers", and bind that group to the ClusterRole that "belay check --permissions" prints. Or use another identity with --profile or --role.\n',
      );
      answering('kubernetes', 403, 'Forbidden', 'nodes is forbidden');
      expect((await check('small', ...here)).said).toMatch(
        /Bind the ClusterRole that "belay check --permissions" prints to its group in ConfigMap kube-system\/aws-auth\.\n$/,
      );
    } finally {
      cluster.authenticationMode = before;
    }
  });

  test.each([
    [
      false,
      [],
      'The API server of small has only a private endpoint, which this machine cannot reach',
      'Connect to the VPN of its VPC, run Belay inside the VPC, or name a context whose server is a tunnel with --context NAME.',
    ],
    [
      true,
      ['192.0.2.0/24'],
      'Could not reach the API server of small',
      'EKS allows access only from 192.0.2.0/24. Check network, VPN and HTTPS_PROXY of this machine, or run Belay inside the VPC.',
    ],
  ])('an API server that cannot be reached (public: %s)', async (endpointPublicAccess, publicAccessCidrs, what, fix) => {
    const { cluster } = stage.built.world.eks;
    const before = { ...cluster };
    Object.assign(cluster, { endpoint: 'https://127.0.0.1:1', endpointPublicAccess, publicAccessCidrs });
    try {
      const { code, said } = await check('small', ...here);
      expect(code).toBe(1);
      expect(said).toMatch(/the connection was refused \(ECONNREFUSED\)/);
      expect(said.replace(/ \(listing .*ECONNREFUSED\)\)/, '')).toBe(`${what}. ${fix}\n`);
    } finally {
      Object.assign(cluster, before);
    }
  });
});

test('a context whose server is the endpoint of another cluster of that name: nothing is read of the wrong one', async () => {
  const { cluster } = stage.built.world.eks;
  const before = { ...cluster };
  Object.assign(cluster, { endpoint: 'https://0A1B.gr7.eu-central-1.eks.amazonaws.com' });
  const server = 'https://FFFF.gr7.eu-central-1.eks.amazonaws.com';
  // eksctl names no account.
  process.env['KUBECONFIG'] = kubeconfig('elsewhere', { name: 'ada@small', cluster: 'small.eu-central-1.eksctl.io', server });
  try {
    const { code, said } = await check();
    expect(code).toBe(1);
    expect(said).toBe(
      `Context "ada@small" is for another cluster than small in eu-central-1 of account 111122223333, which these AWS credentials are for: its server is ${server}. Use credentials of its account with --profile NAME; if small was created again since, run "aws eks update-kubeconfig --name small --region eu-central-1"; or name the one in account 111122223333 with --cluster small --region eu-central-1.\n`,
    );
  } finally {
    Object.assign(cluster, before);
  }
});

describe('AWS credentials', () => {
  beforeEach(() => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[name];
  });

  /** Each test has a file of its own: the SDK reads one once. */
  function profiles(name: string, text: string): void {
    writeFileSync(join(home, name), text);
    Object.assign(process.env, { AWS_CONFIG_FILE: join(home, name), AWS_SHARED_CREDENTIALS_FILE: join(home, 'none') });
  }

  const SSO =
    'sso_start_url = https://example.awsapps.com/start\nsso_region = eu-central-1\nsso_account_id = 111122223333\nsso_role_name = r\n';

  test('none', async () => {
    profiles('empty', '');
    const { code, said } = await check('small', '--region', 'eu-central-1');
    expect(code).toBe(1);
    expect(said).toMatch(
      /^There are no AWS credentials \(Could not load credentials from any providers\)\. Name a profile with --profile NAME, set AWS_PROFILE, or sign in with "aws sso login"\.\n$/,
    );
  });

  test('a profile that there is none of', async () => {
    profiles('others', '[profile work]\nregion = eu-central-1\n');
    const { said } = await check('small', '--region', 'eu-central-1', '--profile', 'wrok');
    expect(said).toMatch(
      /^AWS profile wrok gives no credentials \(.+\)\. "aws configure list-profiles" lists the profiles; name one with --profile NAME\.\n$/,
    );
  });

  test('an SSO session that was never begun, and one that has ended, of the profile of the context', async () => {
    profiles('sso', `[profile platform]\nregion = eu-central-1\n${SSO}`);
    const exec = { command: 'aws', args: ['eks', 'get-token'], env: [{ name: 'AWS_PROFILE', value: 'platform' }] };
    process.env['KUBECONFIG'] = kubeconfig('sso-context', { name: 'work', cluster: ARN, exec });
    const ended = {
      code: 1,
      said: 'The AWS SSO session of profile platform has ended. Sign in again with "aws sso login --profile platform".\n',
    };
    expect(await check()).toEqual(ended);
    const cache = join(home, '.aws', 'sso', 'cache');
    mkdirSync(cache, { recursive: true });
    const key = createHash('sha1').update('https://example.awsapps.com/start').digest('hex');
    writeFileSync(join(cache, `${key}.json`), JSON.stringify({ accessToken: 't', expiresAt: '2020-01-01T00:00:00Z' }));
    expect(await check()).toEqual(ended);
  });

  test('the profile’s region and keys are used', async () => {
    profiles('keys', '[profile work]\nregion = eu-central-1\naws_access_key_id = AKIAWORK\naws_secret_access_key = s\n');
    process.env['KUBECONFIG'] = join(home, 'nowhere');
    expect((await check('--cluster', 'small', '--profile', 'work', '-t', '1.32')).code).toBe(0);
  });
});

describe('a context whose server is a tunnel', () => {
  let tunnel: Server;
  let port = 0;
  let tunnelled = 0;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    const upstream = new URL(serverUrl);
    tunnel = createServer((client) => {
      tunnelled += 1;
      const server = connect(Number(upstream.port), upstream.hostname);
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) {
        sockets.add(socket);
        socket.on('error', () => {});
      }
    });
    await new Promise<void>((resolve) => void tunnel.listen(0, '127.0.0.1', resolve));
    const address = tunnel.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void tunnel.close(resolve));
  });

  test('is gone through', async () => {
    process.env['KUBECONFIG'] = kubeconfig('tunnel', { name: 'work', cluster: ARN, server: `https://localhost:${port}` });
    expect((await check('-t', '1.32')).code).toBe(0);
    expect(tunnelled).toBeGreaterThan(0);
  });

  test('that leads to another server gets no token: its certificate is held against the endpoint', async () => {
    const { cluster } = stage.built.world.eks;
    const before = { ...cluster };
    // EKS says that the cluster is elsewhere, under a name that the server at the end of the tunnel has no certificate for.
    Object.assign(cluster, { endpoint: 'https://0A1B.gr7.eu-central-1.eks.amazonaws.com' });
    process.env['KUBECONFIG'] = kubeconfig('other-end', { name: 'work', cluster: ARN, server: `https://localhost:${port}` });
    try {
      const { code, said } = await check('-t', '1.32');
      expect(code).toBe(1);
      expect(said).toMatch(
        /^Could not reach the API server of small through https:\/\/localhost:\d+, the server of the context \(.*ERR_TLS_CERT_ALTNAME_INVALID/,
      );
    } finally {
      Object.assign(cluster, before);
    }
  });
});
