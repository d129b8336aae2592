/** istiod's work: a revision that runs fills in the CA bundle of every webhook with its label, tags too, and makes Deployments for its Gateways. */
import type { Controller } from '../../world/world.ts';
import { deployGateways } from './gateways.ts';
import { istiodReady } from './revisions.ts';

const CA_BUNDLE = Buffer.from('-----BEGIN CERTIFICATE-----\nrehearsal root of the mesh\n-----END CERTIFICATE-----\n').toString('base64');

export function createIstio(): Controller {
  return {
    name: 'istio',
    everyMs: 10_000,
    tick(world) {
      for (const plural of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
        for (const configuration of world.store.list(plural)) {
          const revision = configuration.metadata.labels?.['istio.io/rev'];
          if (revision === undefined || !istiodReady(world, revision)) continue;
          world.store.update(plural, configuration.metadata.name, undefined, (copy) => {
            for (const webhook of copy.webhooks ?? []) webhook.clientConfig.caBundle ??= CA_BUNDLE;
          });
        }
      }
      deployGateways(world);
    },
  };
}
