/** What Belay's processes, checks and conformance runs send, and what the twin answers, is as botocore's service models have it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkOnStage } from '../../support/readiness-twin.ts';
import { findScenario } from '../../../rehearsal/scenarios/index.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { DISPOSABLE } from '../../conformance/scenario.ts';
import { type ConformanceTwin, openTwin } from '../../conformance/support.ts';
import { type Exchange, judge, type Judged, startCapture } from './capture.ts';
import { constructedOperations, operationsIn } from './commands.ts';
import { captureDirectly } from './directly.ts';
import { captureRehearsals } from './rehearsals.ts';

/** The longest ones begin. */
const SHORT_PAGES = ['eks:short-pages'];
const REHEARSALS = [
  { scenario: 'seed-002' },
  { scenario: 'up-and-down' },
  { scenario: 'instance-refresh', faults: SHORT_PAGES },
  { scenario: 'fargate', faults: SHORT_PAGES },
  { scenario: 'small', faults: SHORT_PAGES },
  { scenario: 'two-roles' },
  { scenario: 'self-managed' },
];

/** Constructed by Belay and never captured: why the twin cannot play it. */
const NEVER_CAPTURED: Readonly<Record<string, string>> = Object.fromEntries(
  ['GetObject', 'GetObjectRetention', 'ListObjectVersions', 'ListObjectsV2', 'PutObject'].map((operation) => [
    `s3.${operation}`,
    'a real server that speaks S3 answers them in test/s3, and the twin has none',
  ]),
);

/** With pages in the model, and never more than one here. */
const ONE_PAGE: Readonly<Record<string, string>> = {
  'ec2.DescribeLaunchTemplates': 'Belay names them by their ids, which EC2 answers in one piece',
  'ec2.DescribeLaunchTemplateVersions': 'Belay names the version, or asks for those between two numbers, of which there are eleven at most',
  'eks.DescribeAddonVersions': 'Belay names the add-on, whose versions are all in one entry',
  'eks.ListClusters': "the twin lists its own world's cluster",
};

let exchanges: Exchange[];
let judged: Judged[];

beforeAll(async () => {
  // One after the other: the processes of rehearsals take what the machine has, and checks judge by wall time.
  exchanges = [...(await captureChecks()), ...(await captureDirectly()), ...(await captureRehearsals(REHEARSALS))];
  judged = await judge(exchanges);
  // Whole upgrades: beside other suites on a slow machine they take thrice as long.
}, 4_500_000);

/** `belay check` and `belay conformance` with lists in one piece and in short pages; the check alone where there are more node groups and profiles. */
async function captureChecks(): Promise<Exchange[]> {
  const fargate = findScenario('fargate');
  return [
    ...(await checked(DISPOSABLE, [], runConformance)),
    ...(await checked(DISPOSABLE, SHORT_PAGES, runConformance)),
    ...(await checked(findScenario('readiness'), SHORT_PAGES)),
    ...(await checked({ ...fargate, build: withTwoProfiles(fargate) }, SHORT_PAGES)),
  ];
}

const withTwoProfiles =
  ({ build }: Scenario): Scenario['build'] =>
  (world) => {
    build(world);
    world.eks.fargateProfiles.push(...world.eks.fargateProfiles.map((profile) => ({ ...profile, name: `${profile.name}-two` })));
  };

async function checked(scenario: Scenario, faults: string[], also?: (twin: ConformanceTwin) => Promise<void>): Promise<Exchange[]> {
  const twin = await openTwin(scenario, faults);
  const capture = await startCapture(twin.stage.aws.url, ['check of', scenario.name, ...faults].join(' '));
  try {
    await checkOnStage({ ...twin.stage, aws: { ...twin.stage.aws, url: capture.url } }, scenario, scenario.to);
    await also?.(twin);
    return capture.exchanges;
  } finally {
    await capture.close();
    await twin.close();
  }
}

/** The clients find the proxy where the check has found it. */
async function runConformance(twin: ConformanceTwin): Promise<void> {
  const some = ['ADDON-ROLE', 'TOKEN-SAME', 'ONE-UPDATE', 'TAGS', 'ONE-MINOR', 'NODEGROUP-NEWER', 'UPDATE-LISTED'];
  await twin.run();
  await twin.run({ disposable: true, only: some.map((id) => `EKS-${id}`) });
}

const operations = (some: readonly Judged[] = judged): Set<string> => new Set(some.map(({ operation }) => operation));

test('RT10: every request and every answer', () => {
  expect(judged.length).toBe(exchanges.length);
  const wrong = judged.flatMap(({ operation, problems }) => problems.map((problem) => `${operation}: ${problem}`));
  expect([...new Set(wrong)]).toEqual([]);
});

test('RT10: of every operation that the code constructs', () => {
  const seen = operations();
  const missed = constructedOperations().filter((operation) => !seen.has(operation));
  expect(missed).toEqual(Object.keys(NEVER_CAPTURED));
});

test('of errors in each protocol', () => {
  const refused = [...operations(judged.filter(({ status }) => status >= 400))].map((operation) => operation.replace(/\..*/, ''));
  expect([...new Set(refused)].toSorted()).toEqual(['autoscaling', 'cloudwatch', 'ec2', 'eks', 'iam', 'kms', 'ssm']);
});

describe('pages', () => {
  const keyOf = ({ where, operation, request }: Judged, token: string | null): string => `${where}: ${operation} ${request} ${token}`;

  test('every list has been asked for in more than one', () => {
    const more = operations(judged.filter(({ asks }) => asks !== null));
    const single = [...operations(judged.filter(({ paged }) => paged))].filter((operation) => !more.has(operation));
    expect(single.toSorted()).toEqual(Object.keys(ONE_PAGE).toSorted());
  });

  test('a token that is given is asked for', () => {
    const asked = new Set(judged.map((one) => keyOf(one, one.asks)));
    const left = operations(judged.filter((one) => one.gives !== null && !asked.has(keyOf(one, one.gives))));
    expect([...left]).toEqual([]);
  });

  test('a token that is asked for was given for the same request', () => {
    const given = new Set(judged.map((one) => keyOf(one, one.gives)));
    const invented = operations(judged.filter((one) => one.asks !== null && one.status < 300 && !given.has(keyOf(one, one.asks))));
    expect([...invented]).toEqual([]);
  });
});

describe('and what is not as the model has it is said', () => {
  const said = async (change: Partial<Exchange>): Promise<string> => {
    const [one] = exchanges.filter(({ service }) => service === change.service);
    const [found] = await judge([{ ...one!, ...change }]);
    return found?.problems.join('\n') ?? '';
  };

  test('in JSON', async () => {
    const answer = '{"cluster":{"status":"FINE","oddity":1,"createdAt":"now"}}';
    const problems = await said({ service: 'eks', path: '/clusters/x?nonsense=1', method: 'GET', body: '', status: 200, answer });
    expect(problems).toContain('nonsense');
    expect(problems).toContain("'FINE', which is not in the enum");
    expect(problems).toContain('oddity is not in the model');
    expect(problems).toContain('createdAt');
  });

  test('inside of forms', async () => {
    const body = 'Action=DescribeSubnets&Version=2016-11-15&Filter.1.Nam=x&Filter.Value=y&MaxResults=many';
    const problems = await said({ service: 'ec2', body, status: 200 });
    expect(problems).toContain('DescribeSubnets.Filter[1]: Nam is not in the model');
    expect(problems).toContain('DescribeSubnets.Filter is a list without numbers from 1');
    expect(problems).toContain("DescribeSubnets.MaxResults is 'many', not a number");
  });

  test('in errors of XML', async () => {
    const body = 'Action=GetRole&Version=2010-05-08&RoleName=x';
    const answer = '<ErrorResponse><Error><Type>Receiver</Type><Code>NoSuchEntity</Code></Error><RequestId>1</RequestId></ErrorResponse>';
    const problems = await said({ service: 'iam', body, status: 400, answer });
    expect(problems).toContain("the error has ['Code', 'Type']");
    expect(problems).toContain('an error of status 400 is of the Receiver');
    expect(problems).toContain('NoSuchEntity has status 400, not 404');
    const plain = await said({ service: 'ec2', body: 'Action=DescribeSubnets&Version=2016-11-15', status: 400, answer });
    expect(plain).toContain('the error is a ErrorResponse');
  });
});

test('commands and paginators are found where they are constructed', () => {
  const source =
    "import { type X, ListAddonsCommand, paginateListUpdates } from '@aws-sdk/client-eks';\nnew ListAddonsCommand({}); paginateListUpdates(";
  expect(operationsIn(source)).toEqual(['eks.ListAddons', 'eks.ListUpdates']);
  expect(() => operationsIn('new HiddenCommand(')).toThrow('HiddenCommand is constructed, and nobody says of which client it is');
});

afterAll(() => {
  delete process.env['AWS_ENDPOINT_URL'];
});
