/** What a cluster, Temporal or a server says commands no terminal: it neither moves the cursor nor hides what is asked. */
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseConfig } from '../../../worker/config/config.ts';
import { confirmFirst } from '../../../cli/shared/confirm.ts';
import { printReply, say, show } from '../../../cli/shared/context.ts';
import { CliError, renderError } from '../../../cli/shared/errors.ts';
import { renderCheckText } from '../../../cli/render/check-text.ts';
import { renderHistory } from '../../../cli/render/history.ts';
import { gateLines, renderStatus } from '../../../cli/render/status.ts';
import type { OpenGate } from '../../../domain/gates/gate.ts';
import type { PastRun } from '../../../domain/run/record/history.ts';
import type { ReadinessReport } from '../../../domain/readiness/report.ts';
import { status } from '../../slack/fixtures.ts';

/** Erases the line, goes up, hides what follows, rings. */
const EVIL = 'one\u001b[2K\u001b[1A\u001b[8m\u0007two';
const SHOWN = 'one [2K [1A [8m two';

const printed: string[] = [];
beforeEach(() => {
  printed.length = 0;
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

const GATE: OpenGate & { workflowId: string } = {
  workflowId: 'eks-upgrade/1/r/staging',
  id: 'before:control-plane@1.32#1',
  title: `Move ${EVIL}?`,
  choices: ['approve'],
  expiresAt: '2026-03-04T12:05:00Z',
  next: `EKS moves ${EVIL}`,
  undo: `Within 7 days ${EVIL}`,
  evidence: [{ title: `Alerts ${EVIL}`, lines: [`critical: shop ${EVIL}`] }],
};

const CONFIG = parseConfig('clusters:\n  staging: { account: "111122223333", region: eu-west-1 }\n', 'belay.yaml');

test('the status of a run', () => {
  show({ format: 'text' }, { source: 'workflow' as const, status: status({ headline: EVIL, gates: [GATE] }) }, renderStatus);
  const text = printed.join('');
  expect(text).toContain(`\n${SHOWN}\n`);
  expect(text).toContain(`      critical: shop ${SHOWN}\n`);
  expect(text).toContain(`◆ Move ${SHOWN}?`);
});

test('the same as JSON is as it is', () => {
  show({ format: 'json' }, { headline: EVIL }, () => '');
  expect(JSON.parse(printed.join(''))).toEqual({ headline: EVIL });
});

test('what is shown of a gate before "[y/N]": each of its texts is one line, so that none passes for another', () => {
  const lines = gateLines({ ...GATE, undo: 'Nothing.\n    Plan: abc', planHash: 'def' });
  expect(lines).toEqual([
    `    Next: EKS moves ${SHOWN}`,
    `    Alerts ${SHOWN}`,
    `      critical: shop ${SHOWN}`,
    '    What can be undone: Nothing.     Plan: abc',
    '    Plan: def',
  ]);
});

test('a question and what is said before it', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.write('y\n');
  let shown = '';
  output.setEncoding('utf8').on('data', (chunk: string) => void (shown += chunk));
  await confirmFirst({}, () => ({ lines: [`Now: ${EVIL}`], asks: `Abort ${EVIL}?` }), { input, output });
  expect(shown).toContain(`Now: ${SHOWN}\n`);
  expect(shown).toContain(`Abort ${SHOWN}? [y/N] `);
});

test('a readiness report', () => {
  const report: ReadinessReport = {
    schemaVersion: 1,
    cluster: { name: 'prod', account: '111122223333', region: 'eu-west-1' },
    from: '1.31',
    target: '1.32',
    hops: ['1.32'],
    checkedAt: '2026-01-01T00:00:00Z',
    verdict: 'required-findings',
    counts: { required: 1, recommended: 0, unknown: 0, passed: 0, waived: 0 },
    findings: [
      {
        code: 'K8S026',
        area: 'Kubernetes',
        title: 'Pods let themselves be moved',
        severity: 'required',
        status: 'fail',
        message: '1 pod.',
        resources: [{ kind: 'Pod', namespace: 'shop', name: 'x', note: `true\n${EVIL}` }],
      },
    ],
    expiredWaivers: [],
  };
  const text = renderCheckText(report);
  expect(text).toContain(`\n      Pod shop/x  true ${SHOWN}\n`);
});

test('earlier runs: a row each', () => {
  const run: PastRun = {
    startedAt: '2026-03-03T12:00:00Z',
    to: '1.32',
    outcome: 'failed',
    requestedBy: 'sam',
    decidedBy: [],
    headline: `${EVIL}\nDone.`,
    notRestoredCount: 0,
  };
  show({ format: 'text' }, [run], renderHistory);
  expect(printed.join('')).toMatch(/sam {11}- {11}one \[2K \[1A \[8m two Done\.\n$/);
});

test('what came of a decision, what is said beside a result, and errors, whose lines stay', () => {
  printReply({ reply: { accepted: true, message: EVIL }, how: 'answered' }, CONFIG);
  say(EVIL);
  expect(printed).toEqual([`${SHOWN}\n`, `${SHOWN}\n`]);
  expect(renderError(new CliError(`${EVIL}\n- two`), false)).toBe(`${SHOWN}\n- two`);
});
