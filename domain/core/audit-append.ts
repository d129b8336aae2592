/** An append to an audit record that went wrong, as metrics count it. Who writes and who counts share nothing but this. */

/** Name of the `diagnostics_channel` on which they are published. */
export const AUDIT_TROUBLE = 'belay:audit-trouble';

/** `unwritten`: it could not be appended, and its run tries again. `altered`: the record before it is not as Belay wrote it. */
export type AuditTrouble = 'unwritten' | 'altered';
export const AUDIT_TROUBLES: readonly AuditTrouble[] = ['unwritten', 'altered'];
