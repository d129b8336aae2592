/** Files that belay.yaml or a variable names, where the chart mounts them: a webhook's secret, a Helm chart, a certificate authority. */
import { expect, test } from 'vitest';
import { describeWithHelm } from '../support/tools.ts';
import { podsOf, rendered } from './helm.ts';

describeWithHelm('files of one’s own', () => {
  test.each([
    ['worker', ['doctor', 'worker']],
    ['slack', ['slack']],
  ])('what %s.extraVolumes adds is mounted in %j and nowhere else', (component, expected) => {
    const own = { name: 'own', mountPath: '/run/secrets/belay', readOnly: true };
    const pods = podsOf(
      rendered(
        '--set-json',
        `${component}.extraVolumes=[{"name":"own","secret":{"secretName":"belay-own"}}]`,
        '--set-json',
        `${component}.extraVolumeMounts=${JSON.stringify([own])}`,
      ),
    );
    const having = Object.entries(pods).filter(([, { volumes }]) => volumes.some(({ name }) => name === 'own'));
    expect(having.map(([name]) => name).sort()).toEqual(expected);
    for (const [, { containers, volumes }] of having) {
      expect(volumes).toContainEqual({ name: 'own', secret: { secretName: 'belay-own' } });
      expect(containers[0]?.volumeMounts).toContainEqual(own);
    }
  });
});
