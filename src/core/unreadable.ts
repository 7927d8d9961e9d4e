/** Why a file cannot be opened, in the words of whoever named it; the system's own name where there are none. */
export function whyUnreadable(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a directory';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it';
    default:
      return String(code);
  }
}
