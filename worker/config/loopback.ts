/** Does an address with or without a port, such as `localhost:7233`, name this machine by its loopback interface? */
export const isLoopback = (address: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(address);
