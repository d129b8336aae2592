/** Query parameters of lists and watches, and what may not be combined: k8s.io/apimachinery/pkg/apis/meta/internalversion/validation. */
import { badRequest, type FieldError, fieldError, invalid, unexpected } from '../../failures.ts';

const TYPE = { group: 'meta.k8s.io', kind: 'ListOptions' };
const MATCHES = ['Exact', 'NotOlderThan', ''];

/** Throws BadRequest or Invalid. */
export function checkListOptions(query: URLSearchParams, isWatch: boolean, version: string): void {
  const limit = query.get('limit');
  if (limit !== null && !/^[+-]?\d+$/.test(limit)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(limit)}: invalid syntax`);
  const errors = conflicts(query, isWatch, version);
  if (errors.length > 0) throw invalid(TYPE, '', errors);
  const wanted = query.get('resourceVersion') ?? '';
  if (/^\d*$/.test(wanted)) return;
  const why = `resourceVersion: Invalid value: ${JSON.stringify(wanted)}: strconv.ParseUint: parsing ${JSON.stringify(wanted)}: invalid syntax`;
  throw isWatch ? unexpected(why) : badRequest(`invalid resource version: ${why}`);
}

function conflicts(query: URLSearchParams, isWatch: boolean, minor: string): FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const initial = query.get('sendInitialEvents');
  if (isWatch) return watchConflicts(match, initial, minor);
  const errors: FieldError[] = [];
  if (initial !== null) errors.push(fieldError.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (match === '') return errors;
  if (version === '')
    errors.push(fieldError.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (query.get('continue'))
    errors.push(fieldError.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  if (!MATCHES.includes(match)) errors.push(fieldError.unsupported('resourceVersionMatch', match, MATCHES));
  if (match === 'Exact' && version === '0')
    errors.push(fieldError.forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  return errors;
}

/** 1.33 has the feature gate WatchList off, 1.32 and 1.34 have it on. */
const WITHOUT_WATCH_LIST = '1.33';

function watchConflicts(match: string, initial: string | null, minor: string): FieldError[] {
  const errors: FieldError[] = [];
  if (initial !== null && match !== 'NotOlderThan')
    errors.push(fieldError.forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (initial !== null && minor === WITHOUT_WATCH_LIST) {
    const why = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    errors.push(fieldError.forbidden('sendInitialEvents', why));
  }
  if (initial === null && match !== '')
    return [
      fieldError.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    ];
  return errors;
}
