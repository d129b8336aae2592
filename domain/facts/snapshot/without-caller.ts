/** Refusals of AWS and Kubernetes name who was refused: sessions of people are called after them. */

/** "User: arn:aws:sts::…/alice@example.com is not authorized", 'User "alice" cannot list' */
const CALLER = /\b([Uu]ser)(:?) (?:"[^"]*"|arn:\S+|[^\s"]+@\S+)/g;
const SESSION = /arn:aws[\w-]*:(?:sts|iam)::\d*:(?:assumed-role|user|federated-user)\/[^\s"']+/g;

/** The sentence without whom it refuses. */
export const withoutCaller = (why: string): string => why.replace(CALLER, '$1$2 (whoever took it)').replace(SESSION, '(whoever took it)');
