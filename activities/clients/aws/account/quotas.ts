/** Service Quotas: the operations that are asked of it, so that a bundle has no others. */
import {
  GetServiceQuotaCommand,
  type GetServiceQuotaCommandInput,
  ServiceQuotasClient,
  type ServiceQuotasClientConfig,
} from '@aws-sdk/client-service-quotas';
import { prepared } from '../prepared-client.ts';
import type { CallOptions } from './call-options.ts';

export type Quotas = ReturnType<typeof openQuotas>;

/** Nothing is sent yet. */
export function openQuotas(config: ServiceQuotasClientConfig) {
  const client = prepared(new ServiceQuotasClient(config));
  return {
    getServiceQuota: (input: GetServiceQuotaCommandInput, options: CallOptions) => client.send(new GetServiceQuotaCommand(input), options),
    destroy: () => client.destroy(),
  };
}
