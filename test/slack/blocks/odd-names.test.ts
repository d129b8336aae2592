/** What a cluster calls its nodes, labels and workloads reaches people as text: escaped, whole, and calling nobody. */
import { describe, expect, test } from 'vitest';
import type { MessageNotification } from '../../../domain/run/notifications.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { render } from '../../../slack/blocks/render.ts';
import type { Rendered } from '../../../slack/blocks/kit/elements.ts';
import { refusedBlocks } from '../../../slack/blocks/plan.ts';
import { findingsEvidence } from '../../../workflows/reporting/finding-evidence.ts';
import { decided, NOW_MS, open, plan, status, UPGRADE, WORKFLOW_ID } from '../fixtures.ts';
import { read } from '../reading.ts';

const LONGEST = `n${'o'.repeat(251)}1`;

/** What it is, as it stands in the cluster, as mrkdwn shows it, as plain text (headers, buttons) shows it. */
const NAMES: [what: string, name: string, mrkdwn: string, plain: string][] = [
  ['a mention of everybody in the channel', '<!channel>', '&lt;!channel&gt;', '‹!channel›'],
  ['one with a label of its own', '<!here|ip-10-0-0-1>', '&lt;!here|ip-10-0-0-1&gt;', '‹!here|ip-10-0-0-1›'],
  ['a group', '<!subteam^S0ADMINS>', '&lt;!subteam^S0ADMINS&gt;', '‹!subteam^S0ADMINS›'],
  ['a person', '<@U0EVE>', '&lt;@U0EVE&gt;', '‹@U0EVE›'],
  ['a link', '<https://evil.example|Approve>', '&lt;https://evil.example|Approve&gt;', '‹https://evil.example|Approve›'],
  ['a mention that a client would complete', '@channel', '@\u200bchannel', '@\u200bchannel'],
  ['one that is hidden by a mark', '@\u202echannel', '@\u200bchannel', '@\u200bchannel'],
  ['one that is escaped already', '&lt;!channel&gt;', '&amp;lt;!channel&amp;gt;', '&lt;!channel&gt;'],
  ['all that has to be escaped', 'a & b < c > d', 'a &amp; b &lt; c &gt; d', 'a & b ‹ c › d'],
  ['text that turns around', '\u202etcejer\u202c', 'tcejer', 'tcejer'],
  ['control characters', 'a\u0000\u001b[31m\u0085b', 'a [31m b', 'a [31m b'],
  ['half a character', 'x\ud800', 'x\ufffd', 'x\ufffd'],
  ['letters of the world', 'ノード-Ω-é-𝕏-🔥', 'ノード-Ω-é-𝕏-🔥', 'ノード-Ω-é-𝕏-🔥'],
  ['the longest name that Kubernetes takes', LONGEST, LONGEST, `${LONGEST.slice(0, 147)}…`],
];

const show = (notification: MessageNotification, key: string): Rendered =>
  render({ upgrade: UPGRADE, channel: 'C0', key, notification }, { nowMs: NOW_MS });

describe.each(NAMES)('K17: %s', (_what, name, mrkdwn, plain) => {
  const finding: Finding = {
    code: 'K8S103',
    title: 'Nine in ten nodes are Ready',
    severity: 'required',
    status: 'fail',
    message: `Not Ready: ${name}.`,
    resources: [name],
    resourceCount: 1,
  };

  test('K17: in the title, the evidence and the buttons of a gate', () => {
    const choices = [{ id: 'skip' as const, label: name, does: `Leaves ${name}.`, needsReason: true }];
    const state = open({ title: name, evidence: [findingsEvidence('Pre-checks', [finding], 0)], choices });
    const rendered = show({ kind: 'gate', state, workflowId: WORKFLOW_ID, revision: 1, mention: { users: [name], groups: [name] } }, 'x');
    const { text, buttons } = read(rendered);
    expect(text).toContain(`# ⏳ ${plain.slice(0, 140)}`);
    expect(text).toContain(`Not Ready: ${mrkdwn}.`);
    expect(buttons.join('')).toContain(`gate/skip ${plain.slice(0, 70)}`);
    expectVerbatim(rendered, mrkdwn);
  });

  test('K17: in notes and what they ask of others', () => {
    const ask = { component: 'karpenter' as const, name, version: name, managedBy: 'terraform' as const };
    const rendered = show({ kind: 'note', level: 'alarm', text: `Node ${name} is NotReady`, ask }, 'note/1');
    expect(read(rendered).text).toContain(`Node ${mrkdwn} is NotReady`);
    expectVerbatim(rendered, mrkdwn);
  });

  test('K17: on the board, in the plan, in a refusal and in the report', () => {
    const [step] = plan().steps;
    if (step === undefined) throw new Error('the plan has a step');
    const run = status({ headline: name, freeze: { state: 'frozen', note: name } });
    const all = [
      show({ kind: 'board', status: run }, 'board'),
      show({ kind: 'plan', plan: plan({ steps: [{ ...step, why: name }], findings: [{ ...finding, title: name }] }) }, 'plan'),
      refusedBlocks(name, '1.32', [{ rule: 'r', message: name, remedy: name }]),
      show(
        {
          kind: 'report',
          report: { status: run, outcome: 'failed', decisions: [decided()], leftBehind: [{ what: name, why: name, kept: false }] },
        },
        'report',
      ),
    ];
    for (const rendered of all) {
      // The longest is cut where a line has less room for it.
      expect(read(rendered).text).toContain(mrkdwn.slice(0, 150));
      expectVerbatim(rendered, mrkdwn);
    }
  });
});

/** Nothing is left to Slack to make sense of, and the name as it was is nowhere that Slack would parse it. */
function expectVerbatim({ text, blocks }: Rendered, escaped: string): void {
  const elements = blocks.flatMap((block) =>
    block.type === 'section' && block.text !== undefined ? [block.text] : block.type === 'context' ? block.elements : [],
  );
  const parsed = elements.flatMap((element) => (element.type === 'mrkdwn' ? [element] : []));
  expect(parsed.map(({ verbatim }) => verbatim)).toEqual(parsed.map(() => true));
  for (const shown of [text, ...parsed.map((element) => element.text)]) {
    const own = shown.replaceAll(escaped, '').replaceAll(/<!date\^\d+\^[^<>]+>|<@U0(?:ALEX|SAM)>/g, '');
    expect(own).not.toMatch(/[<>]|@(?:channel|here|everyone)/i);
  }
}
