/** Looks at the API server that cannot be taken: without a right each is unknown and names it; all else that fails is thrown, so that it is tried again. */
import { describe, expect, test } from 'vitest';
import { checkReadyz, checkServerVersions } from '../../../../activities/observe/checks/control-plane.ts';
import { checkInjectionWebhooks } from '../../../../activities/observe/checks/istio.ts';
import { checkNodesReady } from '../../../../activities/observe/checks/nodes.ts';
import { checkVolumes } from '../../../../activities/observe/checks/volumes.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { FailureType } from '../../../../domain/core/failure-types.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';

function failing(type: FailureType, message: string): FakeKubernetes {
  const fail = () => Promise.reject(failureOf(type, message));
  return Object.assign(new FakeKubernetes(), { version: fail, readyz: fail, list: fail });
}

describe.each([
  { code: 'K8S101', check: checkReadyz, right: 'get on /readyz' },
  { code: 'K8S102', check: (port: FakeKubernetes) => checkServerVersions(port, '1.33'), right: 'get on /version' },
  { code: 'K8S103', check: checkNodesReady, right: 'list on nodes' },
  { code: 'K8S107', check: checkVolumes, right: 'list on volumeattachments.storage.k8s.io' },
  { code: 'IST008', check: checkInjectionWebhooks, right: 'list on mutatingwebhookconfigurations and get on services' },
])('$code', ({ code, check, right }) => {
  test('denied is unknown, with the right that is missing', async () => {
    expect([await check(failing('AccessDenied', 'Kubernetes answered 403'))].flat()).toMatchObject([
      { code, severity: 'required', status: 'unknown', message: 'Kubernetes answered 403', remediation: `Allow ${right}.` },
    ]);
  });

  test('no answer is thrown', async () => {
    await expect(check(failing('Unavailable', 'the connection was refused'))).rejects.toThrow('the connection was refused');
  });
});
