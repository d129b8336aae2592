/** IAM: the operations that are asked of it, so that a bundle has no others. */
import {
  GetRoleCommand,
  type GetRoleCommandInput,
  IAMClient,
  type IAMClientConfig,
  SimulatePrincipalPolicyCommand,
  type SimulatePrincipalPolicyCommandInput,
} from '@aws-sdk/client-iam';
import type { CallOptions } from './call-options.ts';

export type Iam = ReturnType<typeof openIam>;

/** Nothing is sent yet. */
export function openIam(config: IAMClientConfig) {
  const client = new IAMClient(config);
  return {
    getRole: (input: GetRoleCommandInput, options: CallOptions) => client.send(new GetRoleCommand(input), options),
    simulatePrincipalPolicy: (input: SimulatePrincipalPolicyCommandInput, options: CallOptions) =>
      client.send(new SimulatePrincipalPolicyCommand(input), options),
    destroy: () => client.destroy(),
  };
}
