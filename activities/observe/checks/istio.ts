/** Istio, before nodes move: every pod that they carried is created again, and injection webhooks have their say. */
import type { Finding } from '../../../domain/core/findings.ts';
import { listMutating } from '../../istio/mesh/inventory.ts';
import { deadInjectors } from '../../istio/mesh/stray-webhooks.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';

export async function checkInjectionWebhooks(kubernetes: KubernetesPort): Promise<Finding> {
  try {
    const dead = await deadInjectors(kubernetes, await listMutating(kubernetes));
    return findingUnless(
      'IST008',
      dead.map(({ configuration, service }) => `${configuration} (Service ${service} is gone)`),
      {
        pass: 'Every injection webhook has its istiod.',
        fail: 'Injection webhooks call an istiod that is gone: no pod can be created where they match, so none of a replaced node comes back.',
        remediation: 'Delete the MutatingWebhookConfiguration, or move its tag to a revision that runs, before nodes are replaced.',
      },
    );
  } catch (error) {
    return unknownWhereDenied('IST008', error, 'listing injection webhooks', 'list on mutatingwebhookconfigurations and get on services');
  }
}
