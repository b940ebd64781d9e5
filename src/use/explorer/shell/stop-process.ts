/** A process that can be stopped is stopped long before that. */
const noticeMs = 100;

/**
 * To the shell, as ctrl-z does it elsewhere: with all of the commands that the shell started together, or it would go
 * on waiting for a launcher in between. Resolves when the shell has brought it back; where no shell waits (the command
 * is all that its terminal runs) the system stops nothing, and it goes on at once.
 */
export function stopProcess(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGCONT', goOn);
    // Time stands still for it, too, so that this does not come before it was brought back.
    const timer = setTimeout(goOn, noticeMs);
    function goOn(): void {
      clearTimeout(timer);
      process.off('SIGCONT', goOn);
      resolve();
    }
    process.kill(0, 'SIGTSTP');
  });
}
