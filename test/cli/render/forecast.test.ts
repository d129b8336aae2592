/** A forecast in a terminal: how long and what is not known come first, then what needs people. */
import { describe, expect, test } from 'vitest';
import { renderComparison } from '../../../cli/render/forecast/comparison.ts';
import { showSimulations } from '../../../cli/render/forecast/progress.ts';
import { renderForecast } from '../../../cli/render/forecast/text.ts';
import { comparison, forecast, largeForecast } from '../../support/forecasts.ts';

// oxlint-disable-next-line no-control-regex
const uncoloured = (text: string): string => text.replace(/\u001b\[\d+m/g, '');

describe('a forecast', () => {
  test('as a whole', () => {
    expect(uncoloured(renderForecast(forecast({ pace: '1', waves: { by: 'zone', gate: true } })))).toBe(WHOLE);
  });

  test('where nothing blocks, goes down or is unknown, there is no section for it', () => {
    const calm = uncoloured(
      renderForecast(forecast({ blockers: [], downtimes: [], gates: [], limits: [], evictions: [], calibration: [] })),
    );
    expect(calm).toContain('45 nodes replaced (p90 47), no pod blocks a node, no workload goes down');
    expect(calm).not.toMatch(/Not known|Blocks a node|Goes down for|Asks people|Evicted|Lengths/);
  });

  test('of a large cluster it shows some, and says how many more there are', () => {
    const text = uncoloured(renderForecast(largeForecast()));
    expect(text.split('\n').length).toBeLessThan(140);
    expect(text).toContain('  … and 108 more; --format json and html have them all');
    expect(text).toContain('1240.5 node hours (p90 1602), price not known (u7in-24tb.224xlarge)');
  });

  test('a name in a file that anybody may have written commands no terminal', () => {
    expect(renderForecast(forecast({ limits: ['a\u001b[2Jb'] }))).toContain('a [2Jb');
  });

  test('long sentences are broken at the width of the terminal', () => {
    const lines = uncoloured(renderForecast(forecast(), { columns: 60 })).split('\n');
    expect(lines.slice(5, 8)).toEqual([
      '  ? PodDisruptionBudgets were not read: the right to list',
      '    poddisruptionbudgets is missing. Which pods block is',
      '    unknown.',
    ]);
  });
});

test('several side by side: what is not known first, then a table, what only some do, and why one has no plan', () => {
  expect(uncoloured(renderComparison(comparison()))).toBe(COMPARED);
});

describe('progress', () => {
  const written = (isTTY: boolean, at: number[]): string => {
    let text = '';
    const write = (more: string | Uint8Array): boolean => {
      text += String(more);
      return true;
    };
    const clock = [0, ...at];
    const progress = showSimulations({ isTTY, write }, () => clock.shift() ?? Infinity);
    for (let n = 1; n <= 3; n += 1) progress.played(n, 3);
    progress.end();
    return text;
  };

  test('is one line on a terminal, which is gone at the end', () => {
    expect(written(true, [])).toBe('\r\u001b[KSimulated 1 of 3\r\u001b[KSimulated 2 of 3\r\u001b[K');
  });

  test('in a log is a line now and then, and nothing for what is quick', () => {
    expect(written(false, [1_000, 2_000])).toBe('');
    expect(written(false, [1_000, 6_000, 6_000])).toBe('Simulated 2 of 3\n');
  });
});

const WHOLE = `prod (111122223333, eu-central-1): 1.33 → 1.34, nodes at every hop, at most 1 node at a time in each pool, zone by zone with a gate between waves
3 h 10 min (p90 4 h 5 min): 45 nodes replaced (p90 47), 2 pods block 2 nodes, 1 workload goes down for a while
20 simulations on a snapshot that was 2 h old, seed 1

Not known, or not simulated
  ? PodDisruptionBudgets were not read: the right to list poddisruptionbudgets is missing. Which pods block is unknown.

Blocks a node
  ✗ billing/ledger-0 (StatefulSet billing/ledger, billing): PodDisruptionBudget ledger allows no disruption
    on ip-10-0-1-7.eu-central-1.compute.internal, in every simulation
  ✗ internal/license-server-7d9f (Deployment internal/license-server, no team): it is annotated with karpenter.sh/do-not-disrupt
    on ip-10-0-2-9.eu-central-1.compute.internal, in 15 of 20 simulations

Down for a while
  ! Deployment internal/license-server (no team): 2 min (p90 4 min), as it has one replica (in every simulation)
  ! Deployment shop/web (storefront): 0 s (p90 1 min), as all 3 replicas are in one zone (in 6 of 20 simulations)

Asks people
  ◆ Start the control plane (control-plane@1.33): the control plane of production asks first
    in every simulation; assumed: approve, after 5 min
  ◆ Nodes are blocked (karpenter-drift@1.33): 2 nodes cannot be drained
    in 15 of 20 simulations; assumed: delete the pod, after 15 min

Steps
  begins       takes                       step                       length from
  +0 s         2 min (p90 3 min)           Pre-checks for 1.34        reports of other clusters
  +7 min       12 min (p90 18 min)         Control plane 1.33 → 1.34  earlier upgrades
  +19 min      30 min                      Bake the control plane     belay.yaml
  +54 min      26 min (p90 34 min)         Node groups to 1.34        measured in the snapshot
  +1 h 25 min  1 h 35 min (p90 2 h 8 min)  Karpenter nodes to 1.34    measured in the snapshot
  +3 h 5 min   5 min (p90 6 min)           Validation                 reports of other clusters

Nodes replaced
  Node group system: 3
  NodePool general: 42 (p90 44)

At the peak, in addition to what runs now
  5 extra nodes (p90 6), 40 extra vCPUs (p90 48), 145 extra IP addresses (p90 174), 4 volumes re-attached
  ✗ eu-central-1b needs 58 addresses, and its subnets have 40 free
  6.5 node hours (p90 9), $2.50 (p90 $3.40)

Evicted
  Deployment shop/web: 3 pods (p90 4)
  StatefulSet billing/ledger: 1 pod
  Deployment internal/license-server: 1 pod

Lengths
  from NodeClaim to Ready, NodePool general: 52 s, measured in the snapshot (42 measurements)
  From reports of other clusters: from pod to Ready, StatefulSet billing/ledger

Plan b1946ac92492d2347c6235b4d2611184`;

const COMPARED = `prod (111122223333, eu-central-1): 1.33 → 1.34
20 simulations on a snapshot that was 2 h old, seed 1

Not known, or not simulated
  ? PodDisruptionBudgets were not read: the right to list poddisruptionbudgets is missing. Which pods block is unknown.

strategy                        every-hop                   once-at-the-end              never
Duration                        3 h 10 min (p90 4 h 5 min)  2 h 30 min (p90 3 h 20 min)  no plan
Nodes replaced                  45 (p90 47)                 45 (p90 47)                  no plan
Pods that block nodes           2                           1                            no plan
Workloads that go down          2                           2                            no plan
Longest downtime                2 min (p90 4 min)           2 min (p90 4 min)            no plan
Gates                           2                           2                            no plan
Extra nodes at the peak         5 (p90 6)                   5 (p90 6)                    no plan
Extra vCPUs at the peak         40 (p90 48)                 40 (p90 48)                  no plan
Extra IP addresses at the peak  145 (p90 174)               145 (p90 174)                no plan
Zones short of addresses        eu-central-1b               eu-central-1b                no plan
Cost of extra nodes             $2.50 (p90 $3.40)           $2.50 (p90 $3.40)            no plan
What is not known               1 limit                     1 limit                      no plan

! Deployment internal/license-server blocks a node only with every-hop

strategy never
✗ Kubelets of 1.30 may not stay. (kubelet-skew)
  → Replace nodes at every hop.

"belay forecast --strategy …" shows one of them in full.`;
