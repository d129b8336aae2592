/** What `--kubernetes real` refuses before anything starts, and what it takes. */
import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../../../rehearsal/world/faults/catalogue/catalogue.ts';
import { chooseFaults } from '../../../../rehearsal/play/choose.ts';
import { runBelay } from '../../../cli/run-belay.ts';

const API_SERVER = 'a real API server gives its own answers';
const KWOK = "KWOK's kubelets make every node Ready";
const KARPENTER = "real Karpenter's cloud is KWOK, which launches anything";
const PROMETHEUS = 'a real Prometheus answers from its scrapes; prometheus:cut and prometheus:reset work';

const TWIN_ONLY: [string, string][] = [
  ['kubernetes:401', API_SERVER],
  ['kubernetes:429', API_SERVER],
  ['kubernetes:410-gone', API_SERVER],
  ['kubernetes:half-open', API_SERVER],
  ['kubernetes:lost-response', API_SERVER],
  ['kubernetes:conflict', API_SERVER],
  ['eks:rebuilt', 'a real control plane is not rebuilt for it'],
  ['eks:side-effect', 'real parts have admission webhooks of their own'],
  ['karpenter:lie', 'Karpenter is the real one there'],
  ['kubernetes:lie', 'the API server is a real one there'],
  ['terraform:stale-apply', 'a real kube-apiserver cannot go back a minor here'],
  ['node:never-ready', KWOK],
  ['node:not-ready', KWOK],
  ['karpenter:upgrade-fails', 'Flux and Argo CD are the twin’s own'],
  ['karpenter:launch-fails', KARPENTER],
  ['karpenter:never-registers', KARPENTER],
  ['karpenter:spot-role-missing', KARPENTER],
  ['volume:multi-attach', "KWOK's pods mount no volumes"],
  ['prometheus:down', PROMETHEUS],
  ['prometheus:empty', PROMETHEUS],
  ['prometheus:hang', PROMETHEUS],
  ['prometheus:alert', PROMETHEUS],
  ['prometheus:slow-api', PROMETHEUS],
];

describe('is refused', () => {
  test.each(TWIN_ONLY)('%s', (name, why) => {
    expect(() => chooseFaults([name], 'real')).toThrow(
      new RangeError(`"${name}" cannot happen with --kubernetes real: ${why}. Leave it out, or play it on the twin.`),
    );
    expect(chooseFaults([name])).toEqual([name]);
  });

  test('by its short name as well, as it was written', () => {
    expect(() => chooseFaults(['eks:throttle', 'bad-ami@node-groups'], 'real')).toThrow(
      new RangeError(`"bad-ami@node-groups" cannot happen with --kubernetes real: ${KARPENTER}. Leave it out, or play it on the twin.`),
    );
  });

  test('a moment that only the stand-in sees', () => {
    expect(() => chooseFaults(['slack:down@list-nodes'], 'real')).toThrow(
      new RangeError(
        '"slack:down@list-nodes" cannot begin at list-nodes with --kubernetes real: a real API server tells of changes only. Write a phase, GATE or a change such as patch-nodepools.',
      ),
    );
  });

  test('by the command, at once', async () => {
    const ran = await runBelay(['rehearse', '--kubernetes', 'real', '--fault', 'kubernetes:429=5@control-plane']);
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: `"kubernetes:429=5@control-plane" cannot happen with --kubernetes real: ${API_SERVER}. Leave it out, or play it on the twin.\n`,
    });
  });
});

test.each(FAULTS.map(({ name }) => name).filter((name) => !TWIN_ONLY.some(([refused]) => refused === name)))('%s is played', (name) => {
  expect(chooseFaults([name], 'real')).toEqual([name]);
});
