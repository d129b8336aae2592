/** Running upgrades survive a new release: every recorded history replays on today's workflows, and a change of order is caught. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { releases, type RecordedStory, historyOf, readStory, stories, thisRelease } from './fixtures.ts';
import * as messages from '../../workflows/contract/messages.ts';
import { PHASES } from '../../domain/core/phases.ts';
import { type ChangedWorkflows, changedWorkflows } from '../support/changed-workflows.ts';
import { fakeActivities } from '../support/fake-activities.ts';
import { workflowBundle } from '../support/temporal.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RELEASE = '0.1.0';

let bundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  bundle = await workflowBundle();
});

interface Outcome {
  workflowId: string;
  runId: string;
  error?: unknown;
}

/** By one worker: to start one takes as long as twenty histories. */
async function replayed(workflowBundle: WorkflowBundleWithSourceMap, recorded: RecordedStory): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const histories = recorded.map((one) => ({ workflowId: one.workflowId, history: historyOf(one) }));
  for await (const outcome of Worker.runReplayHistories({ workflowBundle }, histories)) outcomes.push(outcome);
  return outcomes;
}

const runIdOf = (one: RecordedStory[number]): string =>
  historyOf(one).events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId ?? '';

/** A test for each story; all are replayed before the first. */
function replay(release: string, names: readonly string[], bundleOf: () => Promise<WorkflowBundleWithSourceMap>): void {
  const recorded = new Map(names.map((story) => [story, readStory(release, story)]));
  let outcomes: Outcome[];
  beforeAll(async () => {
    outcomes = await replayed(await bundleOf(), [...recorded.values()].flat());
  }, 360_000);

  test.each(names)('%s', (story) => {
    const runIds = recorded.get(story)?.map(runIdOf) ?? [];
    const theirs = outcomes.filter(({ runId }) => runIds.includes(runId));
    expect(theirs).toHaveLength(runIds.length);
    expect(theirs.length).toBeGreaterThan(0);
    expect(theirs.filter(({ error }) => error !== undefined)).toEqual([]);
  });
}

describe.each(releases())('O9: histories of %s go on with this release', (release) => {
  replay(release, stories(release), async () => bundle);
});

/** Those whose order is changed soonest by a turn more or less, and one of every kind of step. */
const DELICATE = ['every-phase', 'freeze-reverted', 'karpenter-migrated', 'steered-by-people', 'wave-moved-back'];

describe('O10: the bundle of workers with versions replays as the other one does', () => {
  replay(RELEASE, DELICATE, () => workflowBundle({ versioned: true }));
});

/** All workflows that this release has recorded, read once. */
let ofThisRelease: RecordedStory | undefined;
const recordedNow = (): RecordedStory => (ofThisRelease ??= stories(thisRelease()).flatMap((story) => readStory(thisRelease(), story)));

test('this release has recorded every workflow', () => {
  expect(releases()).toContain(thisRelease());
  const types = new Set(recordedNow().map(({ workflowType }) => workflowType));
  const exported =
    readFileSync(`${ROOT}workflows/index.ts`, 'utf8')
      .match(/(?<=export \{ ).+?(?= \})/g)
      ?.flatMap((names) => names.split(', ')) ?? [];
  expect(exported.length).toBeGreaterThan(10);
  expect([...types].toSorted()).toEqual(exported.toSorted());
});

/** What replay can see of this release: activities that were scheduled, and messages that were sent or received. */
function recordedNames(): Set<string> {
  return new Set(recordedNow().flatMap((one) => (historyOf(one).events ?? []).flatMap(namesIn)));
}

type HistoryEvent = NonNullable<ReturnType<typeof historyOf>['events']>[number];

function namesIn(event: HistoryEvent): string[] {
  const local = Object.values(event.markerRecordedEventAttributes?.details ?? {}).flatMap(({ payloads }) =>
    (payloads ?? []).flatMap(({ data }) => /"activity_type":"(\w+)"/.exec(Buffer.from(data ?? []).toString())?.[1] ?? []),
  );
  const named = [
    event.activityTaskScheduledEventAttributes?.activityType?.name,
    event.workflowExecutionSignaledEventAttributes?.signalName,
    event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName,
    event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name,
    ...local,
  ];
  return named.filter((name) => typeof name === 'string');
}

/** Asked by other activities alone. */
const NEVER_SCHEDULED = ['checkFreeze'];

describe('RT1: a change of any of these would be seen by replay', () => {
  let seen: Set<string>;
  beforeAll(() => {
    seen = recordedNames();
  });

  test('every activity that workflows may ask for', () => {
    const contract = Object.keys(fakeActivities().activities);
    expect(contract.filter((name) => !seen.has(name))).toEqual(NEVER_SCHEDULED);
  });

  test('every update and signal', () => {
    const defined = Object.values(messages).flatMap((value) =>
      typeof value === 'object' && 'type' in value && value.type !== 'query' && 'name' in value ? [value.name] : [],
    );
    expect(defined.length).toBeGreaterThan(20);
    expect(defined.filter((name) => !seen.has(name))).toEqual([]);
  });

  test('every phase', () => {
    const ids = recordedNow().map(({ workflowId }) => workflowId);
    expect(PHASES.filter((phase) => !ids.some((id) => id.split('/').at(-1)?.startsWith(`${phase}@`)))).toEqual([]);
  });
});

describe('the guard bites', () => {
  const parentOf = (recorded: RecordedStory): RecordedStory => recorded.filter(({ workflowType }) => workflowType === 'upgradeCluster');

  test('T8: when the recorded plan has two steps in another order', async () => {
    const recorded = parentOf(readStory(RELEASE, 'every-phase'));
    const swapped = JSON.parse(JSON.stringify(recorded), (key, value: unknown) =>
      key === 'data' && typeof value === 'string' ? withStepsSwapped(value) : value,
    ) as RecordedStory;
    expect(swapped).not.toEqual(recorded);
    const [outcome] = await replayed(bundle, swapped);
    expect(outcome?.error).toBeInstanceOf(DeterminismViolationError);
  });

  test('T8: when the workflow asks people after a step instead of before it', async () => {
    const changed = await bundleChanged('run/upgrade-cluster.ts', (code) =>
      code.replace(/( *await steps\.passGate\(step\);\n)( *await steps\.perform\(step\);\n)/, '$2$1'),
    );
    const [outcome] = await replayed(changed, parentOf(readStory(RELEASE, 'every-phase')));
    expect(outcome?.error).toBeInstanceOf(DeterminismViolationError);
  });

  test('and only then: a change that alters no step replays', async () => {
    const changed = await bundleChanged('run/upgrade-cluster.ts', (code) => `${code}\n// A remark.\n`);
    expect(await replayed(changed, parentOf(readStory(RELEASE, 'every-phase')))).toMatchObject([{ error: undefined }]);
  });

  test('O11: when an interceptor waits before it lets a run begin', async () => {
    const changed = await bundleChanged('runtime/run-header.ts', (code) =>
      `import { sleep } from '@temporalio/workflow';\n${code}`.replace(
        /execute: (\(input, next\) => \{[^}]+)return next\(input\);/,
        'execute: async $1await sleep(1);\n          return await next(input);',
      ),
    );
    const [outcome] = await replayed(changed, parentOf(readStory(RELEASE, 'every-phase')));
    expect(outcome?.error).toBeInstanceOf(DeterminismViolationError);
  });

  const copies: ChangedWorkflows[] = [];
  afterAll(() => {
    for (const copy of copies) copy.remove();
  });

  async function bundleChanged(file: string, change: (code: string) => string): Promise<WorkflowBundleWithSourceMap> {
    const copy = changedWorkflows(file, change);
    copies.push(copy);
    return workflowBundle({ beside: copy.beside });
  }
});

/** The plan in a payload with its last two steps the other way round; other payloads as they are. */
function withStepsSwapped(base64: string): string {
  const text = Buffer.from(base64, 'base64').toString();
  if (!text.startsWith('{"kind":"plan","plan"')) return base64;
  const result = JSON.parse(text) as { plan: { steps: unknown[] } };
  const { steps } = result.plan;
  result.plan.steps = [...steps.slice(0, -2), ...steps.slice(-2).reverse()];
  return Buffer.from(JSON.stringify(result)).toString('base64');
}
