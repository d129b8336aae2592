/** The errors of an update that has failed, with what each means: the failure table's first sentence, then EKS's own words. */
import type { ErrorDetail } from '@aws-sdk/client-eks';
import { adviceOn } from '../../../domain/tables/failures.ts';
import type { UpdateOutcome } from '../../contract/eks.ts';

/** A code that is not in the table keeps EKS's message alone. */
export function explainErrors(errors: readonly ErrorDetail[] | undefined): UpdateOutcome['errors'] {
  return (errors ?? []).map((error) => {
    const code = error.errorCode ?? 'Unknown';
    const said = error.errorMessage ?? '';
    return {
      code,
      message: [adviceOn({ scope: 'update', code })?.says, said === '' ? undefined : `EKS says: ${said}`]
        .filter((part) => part !== undefined)
        .join(' '),
      resourceIds: (error.resourceIds ?? []).slice(0, 5),
    };
  });
}
