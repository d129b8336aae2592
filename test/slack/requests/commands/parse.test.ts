/** What people may type after /eks-upgrade. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { helpText } from '../../../../slack/blocks/help.ts';
import { type Command, parseCommand, VERBS } from '../../../../slack/requests/commands/parse.ts';

const usage = (problem: string): Command => ({ kind: 'usage', problem });

describe('parseCommand', () => {
  test.each<[string, Command]>([
    ['', { kind: 'form' }],
    ['   \n ', { kind: 'form' }],
    ['help', { kind: 'help' }],
    ['HELP me', { kind: 'help' }],
    ['start prod 1.33', { kind: 'start', cluster: 'prod', target: '1.33', strategy: undefined }],
    ['  start\nprod\t v1.33 ', { kind: 'start', cluster: 'prod', target: '1.33', strategy: undefined }],
    ['plan prod', { kind: 'plan', cluster: 'prod', target: undefined, strategy: undefined }],
    ['plan prod 1.34 --strategy every-hop', { kind: 'plan', cluster: 'prod', target: '1.34', strategy: 'every-hop' }],
    ['start --strategy=once-at-the-end prod 1.34', { kind: 'start', cluster: 'prod', target: '1.34', strategy: 'once-at-the-end' }],
    ['start prod 1.34 —strategy every-hop', { kind: 'start', cluster: 'prod', target: '1.34', strategy: 'every-hop' }],
    ['rollback prod', { kind: 'rollback', cluster: 'prod', dryRun: false }],
    ['rollback prod --dry-run', { kind: 'rollback', cluster: 'prod', dryRun: true }],
    ['rollback —dry-run prod', { kind: 'rollback', cluster: 'prod', dryRun: true }],
    ['rollback prod --force', usage('Unknown option: "--force".')],
    ['rollback prod add-ons', { kind: 'rollback', cluster: 'prod', step: 'add-ons', dryRun: false }],
    ['rollback prod add-ons-target@1.33 --dry-run', { kind: 'rollback', cluster: 'prod', step: 'add-ons-target@1.33', dryRun: true }],
    ['rollback prod 1.32', usage('"1.32" is not a step name such as add-ons.')],
    ['rollback prod add-ons istio', usage('Unexpected argument: "istio".')],
    ['rollback prod list', { kind: 'undo-list', cluster: 'prod' }],
    ['rollback prod List', { kind: 'undo-list', cluster: 'prod' }],
    ['rollback prod --list', { kind: 'undo-list', cluster: 'prod' }],
    ['rollback —list prod', { kind: 'undo-list', cluster: 'prod' }],
    ['rollback prod add-ons --list', usage('Unexpected argument: "add-ons".')],
    ['rollback prod --list --dry-run', usage('Unknown option: "--dry-run".')],
    ['rollback prod list --dry-run', usage('Unknown option: "--dry-run".')],
    ['rollback --list', usage('Which cluster? Type /eks-upgrade rollback CLUSTER.')],
    ['rollback', usage('Which cluster? Type /eks-upgrade rollback CLUSTER.')],
    ['reconcile prod', { kind: 'reconcile', cluster: 'prod', dryRun: false, roll: false }],
    ['reconcile prod —dry-run', { kind: 'reconcile', cluster: 'prod', dryRun: true, roll: false }],
    ['reconcile --roll prod', { kind: 'reconcile', cluster: 'prod', dryRun: false, roll: true }],
    ['reconcile prod --yes', usage('Unknown option: "--yes".')],
    ['reconcile', usage('Which cluster? Type /eks-upgrade reconcile CLUSTER.')],
    ['forecast prod', { kind: 'forecast', cluster: 'prod' }],
    ['forecast prod 1.33 —strategy every-hop', { kind: 'forecast', cluster: 'prod', target: '1.33', strategy: 'every-hop' }],
    ['check prod 1.33', { kind: 'check', cluster: 'prod', target: '1.33' }],
    ['Check prod', { kind: 'check', cluster: 'prod', target: undefined }],
    ['status', { kind: 'status' }],
    ['status prod', { kind: 'status', cluster: 'prod' }],
    ['pace prod 10%', { kind: 'pace', cluster: 'prod', pace: '10%' }],
    ['pace prod 0', { kind: 'pace', cluster: 'prod', pace: 'freeze' }],
    ['pause prod', { kind: 'control', verb: 'pause', cluster: 'prod' }],
    ['resume prod', { kind: 'control', verb: 'resume', cluster: 'prod' }],
    ['Abort prod', { kind: 'control', verb: 'abort', cluster: 'prod' }],
    ['approve prod', { kind: 'decide', choice: 'approve', cluster: 'prod' }],
    ['reject prod before:control-plane', { kind: 'decide', choice: 'reject', cluster: 'prod', gate: 'before:control-plane' }],
    ['approve prod now please', usage('Unexpected argument: "please".')],
    ['retry prod', { kind: 'failed', choice: 'retry', cluster: 'prod' }],
    ['skip prod we did it by hand', { kind: 'failed', choice: 'skip', cluster: 'prod', reason: 'we did it by hand' }],
    ['skip prod', usage('Why should the step be skipped? Type /eks-upgrade skip CLUSTER WHY.')],
    [
      'extend prod before:control-plane 2h waiting for Rin',
      { kind: 'extend', cluster: 'prod', gate: 'before:control-plane', byMs: 7_200_000, reason: 'waiting for Rin' },
    ],
    [
      'extend prod',
      usage('Which gate needs more time, and how much? Type /eks-upgrade extend CLUSTER 2h, or /eks-upgrade extend CLUSTER GATE 2h.'),
    ],
    ['extend prod 2h for lunch', { kind: 'extend', cluster: 'prod', byMs: 7_200_000, reason: 'for lunch' }],
    ['digest', { kind: 'digest', sinceMs: 86_400_000 }],
    ['digest 3d', { kind: 'digest', sinceMs: 259_200_000 }],
    ['digest lunch', usage('"lunch" is not a duration such as 30m, 2h or 1d.')],
    ['digest 400d', usage('"400d" is not a duration such as 30m, 2h or 1d.')],
    ['extend prod before: soon', usage('"soon" is not a duration such as 30m, 2h or 1d.')],
    ['handover prod U012AB3CD', { kind: 'handover', cluster: 'prod', to: 'U012AB3CD' }],
    ['handover prod <@U012AB3CD|rin> on holiday', { kind: 'handover', cluster: 'prod', to: 'U012AB3CD', reason: 'on holiday' }],
    ['handover prod', { kind: 'handover-form', cluster: 'prod' }],
    ['handover prod @rin', usage('"@rin" is not a Slack user ID such as U012AB3CD (in the profile: "Copy member ID").')],
    ['history prod', { kind: 'history', cluster: 'prod' }],
    ['report prod now', usage('Unexpected argument: "now".')],
    ['destroy prod', usage('Unknown command: "destroy".')],
    ['start', usage('Which cluster? Type /eks-upgrade start CLUSTER.')],
    ['forecast', usage('Which cluster? Type /eks-upgrade forecast CLUSTER.')],
    ['forecast prod --runs 20', usage('Unknown option: "--runs".')],
    ['check', usage('Which cluster? Type /eks-upgrade check CLUSTER.')],
    ['check prod 1.33 now', usage('Unexpected argument: "now".')],
    ['check prod next', usage('"next" is not a Kubernetes minor version such as 1.33.')],
    ['pace', usage('Which cluster? Type /eks-upgrade pace CLUSTER.')],
    ['pace prod', usage('Which pace? Use freeze, 1, 10%, 20%, another number or percentage, original or automatic.')],
    ['pace prod 200%', usage('"200%" is not a pace: use freeze, 1, 10%, 20%, another number or percentage, original or automatic.')],
    ['pace prod 1 now', usage('Unexpected argument: "now".')],
    ['status a b', usage('Unexpected argument: "b".')],
    ['abort prod now', usage('Unexpected argument: "now".')],
    ['start prod 1.33 please', usage('Unexpected argument: "please".')],
    ['start prod latest', usage('"latest" is not a Kubernetes minor version such as 1.33.')],
    ['start prod 1.33.2', usage('"1.33.2" is not a Kubernetes minor version such as 1.33.')],
    ['start prod 1.33 --force', usage('Unknown option: "--force".')],
    ['start prod 1.33 --strategy', usage('"" is not a strategy; write every-hop or once-at-the-end.')],
    ['start prod 1.33 --strategy never', usage('"never" is not a strategy; write every-hop or once-at-the-end.')],
    ['start 🔥 1.33', usage('"🔥" is not a cluster name.')],
    ['start `prod` 1.33', usage('"`prod`" is not a cluster name.')],
    ['start ../../etc 1.33', usage('"../../etc" is not a cluster name.')],
    ['start prod\u0000 1.33', usage('"prod\u0000" is not a cluster name.')],
    [`start ${'x'.repeat(10_240)} 1.33`, usage('The command has 10251 characters; at most 500 are allowed.')],
  ])('%j', (text, expected) => {
    expect(parseCommand(text)).toEqual(expected);
  });

  test('S23: takes any text, and never a cluster or a version that it could not be', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: 'binary' }).map((text) => `start ${text}`),
        ),
        (text) => {
          const command = parseCommand(text);
          if ('cluster' in command && command.cluster !== undefined) expect(command.cluster).toMatch(/^[0-9A-Za-z._-]{1,100}$/);
          if ('target' in command && command.target !== undefined) expect(command.target).toMatch(/^1\.\d{1,3}$/);
        },
      ),
    );
  });
});

test('Slack’s hint and the help name every command, and none that is not there', () => {
  const manifest: { features: { slash_commands: { usage_hint: string }[] } } = parse(
    readFileSync(new URL('../../../../slack/manifest.yaml', import.meta.url), 'utf8'),
  );
  const hint = manifest.features.slash_commands[0]?.usage_hint ?? '';
  expect((/^\[(.*)\]/.exec(hint)?.[1] ?? '').split('|').toSorted()).toEqual(VERBS.toSorted());
  const { text } = helpText();
  for (const verb of VERBS) expect(text).toMatch(new RegExp(`\`(/eks-upgrade )?${verb}\\b`));
  expect(text.length).toBeLessThan(4_000);
});

test('U8: a word with a typo is answered with the one that was probably meant, and not with the whole help', () => {
  expect(parseCommand('statsu')).toEqual({
    kind: 'usage',
    problem: 'Unknown command: "statsu". Did you mean /eks-upgrade status?',
    isHinted: true,
  });
  expect(parseCommand('lunch')).toEqual({ kind: 'usage', problem: 'Unknown command: "lunch".' });
});
