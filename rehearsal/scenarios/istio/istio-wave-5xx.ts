/** A wave whose services answer with 5xx three times as often behind the new proxies: undone, mended, moved again. */
import { ILL_ANNOTATION } from '../../neighbours/prometheus/mesh-metrics.ts';
import type { World } from '../../world/world.ts';
import { addMesh, MESH_SUCCESSOR, meshScenario } from '../parts/mesh-parts.ts';
import type { Scenario } from '../scenario.ts';

const ILL = 'shop';

const mark = (world: World, illOn: string | undefined): void =>
  void world.store.update('namespaces', ILL, undefined, ({ metadata }) => {
    const { [ILL_ANNOTATION]: _ill, ...others } = metadata.annotations ?? {};
    metadata.annotations = illOn === undefined ? others : { ...others, [ILL_ANNOTATION]: illOn };
  });

export const istioWave5xx: Scenario = {
  ...meshScenario,
  name: 'istio-wave-5xx',
  title: 'A wave whose 5xx triple, 1.34 → 1.35',
  description:
    'Behind the new proxies namespace shop answers with 5xx three times as often. The wave stops and is undone; its team mends the cause, and it moves again.',
  mends: [
    {
      gate: 'failed:istio@1.35#1',
      choice: 'retry',
      does: 'the team of shop raises the memory limit of its proxies',
      act: (world) => mark(world, undefined),
    },
  ],
  build(world) {
    addMesh(world);
    mark(world, MESH_SUCCESSOR);
  },
};
