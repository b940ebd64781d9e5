/** Where names without a cube are looked up: `pageViewsCount` means `TrackedEvents.pageViewsCount`. */
export const defaultCube = 'TrackedEvents';
