/** IAM: the operations that are asked of it, so that a bundle has no others. */
import {
  GetPolicyCommand,
  type GetPolicyCommandInput,
  GetPolicyVersionCommand,
  type GetPolicyVersionCommandInput,
  GetRoleCommand,
  type GetRoleCommandInput,
  GetRolePolicyCommand,
  type GetRolePolicyCommandInput,
  IAMClient,
  type IAMClientConfig,
  ListAttachedRolePoliciesCommand,
  type ListAttachedRolePoliciesCommandInput,
  ListRolePoliciesCommand,
  type ListRolePoliciesCommandInput,
  SimulatePrincipalPolicyCommand,
  type SimulatePrincipalPolicyCommandInput,
} from '@aws-sdk/client-iam';
import { prepared } from '../prepared-client.ts';
import type { CallOptions } from './call-options.ts';

export type Iam = ReturnType<typeof openIam>;

/** Nothing is sent yet. */
export function openIam(config: IAMClientConfig) {
  const client = prepared(new IAMClient(config));
  return {
    getRole: (input: GetRoleCommandInput, options: CallOptions) => client.send(new GetRoleCommand(input), options),
    listRolePolicies: (input: ListRolePoliciesCommandInput, options: CallOptions) =>
      client.send(new ListRolePoliciesCommand(input), options),
    getRolePolicy: (input: GetRolePolicyCommandInput, options: CallOptions) => client.send(new GetRolePolicyCommand(input), options),
    listAttachedRolePolicies: (input: ListAttachedRolePoliciesCommandInput, options: CallOptions) =>
      client.send(new ListAttachedRolePoliciesCommand(input), options),
    getPolicy: (input: GetPolicyCommandInput, options: CallOptions) => client.send(new GetPolicyCommand(input), options),
    getPolicyVersion: (input: GetPolicyVersionCommandInput, options: CallOptions) =>
      client.send(new GetPolicyVersionCommand(input), options),
    simulatePrincipalPolicy: (input: SimulatePrincipalPolicyCommandInput, options: CallOptions) =>
      client.send(new SimulatePrincipalPolicyCommand(input), options),
    destroy: () => client.destroy(),
  };
}
