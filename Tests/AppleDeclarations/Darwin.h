// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// What Tessera uses of Darwin's C library, with the widths and values of arm64 and arm64_32. After each heading: the
// open-source header (github.com/apple-oss-distributions) that has the facts. Scripts/apple-declarations --headers compares
// all of it with the headers in version 0.17.1 of PyPI's ziglang, which know macOS 27.0.

#ifndef TESSERA_DARWIN_H
#define TESSERA_DARWIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include "TesseraAvailability.h"

// xnu: bsd/sys/_types.h, bsd/arm/_types.h
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ssize_t;
typedef long long off_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int32_t pid_t;
typedef int32_t blksize_t;
typedef int64_t blkcnt_t;
typedef long time_t;
typedef int32_t suseconds_t;
typedef uint32_t useconds_t;
typedef uint32_t sigset_t;
typedef char *caddr_t;

// xnu: bsd/sys/_types/_timespec.h, bsd/sys/_types/_timeval.h; Libc: include/_time.h, where clockid_t is an enumeration
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
typedef enum {
    _CLOCK_REALTIME = 0,
    _CLOCK_MONOTONIC = 6,
    _CLOCK_MONOTONIC_RAW = 4,
    _CLOCK_MONOTONIC_RAW_APPROX = 5,
    _CLOCK_UPTIME_RAW = 8,
    _CLOCK_UPTIME_RAW_APPROX = 9,
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *time);
time_t time(time_t *result);
int usleep(useconds_t microseconds);

// xnu: bsd/sys/errno.h. errno itself is in the overlay.
int *__error(void);
#ifndef __swift__
#define errno (*__error())
#endif
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ECHILD 10
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOSPC 28
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define EINPROGRESS 36
#define ENOTSOCK 38
#define EMSGSIZE 40
#define EPROTOTYPE 41
#define EPROTONOSUPPORT 43
#define ENOTSUP 45
#define EAFNOSUPPORT 47
#define EADDRINUSE 48
#define EADDRNOTAVAIL 49
#define ENETUNREACH 51
#define ECONNABORTED 53
#define ECONNRESET 54
#define EISCONN 56
#define ENOTCONN 57
#define ETIMEDOUT 60
#define ECONNREFUSED 61
#define ELOOP 62
#define ENAMETOOLONG 63
#define ENOTEMPTY 66
#define EDQUOT 69
#define ENOLCK 77
#define ENOSYS 78
#define EILSEQ 92
#define EOPNOTSUPP 102

// xnu: bsd/sys/stat.h (64-bit inodes), bsd/sys/_types/_s_ifmt.h. The S_IF values are in the overlay.
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec;
    struct timespec st_mtimespec;
    struct timespec st_ctimespec;
    struct timespec st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    uint32_t st_flags;
    uint32_t st_gen;
    int32_t st_lspare;
    int64_t st_qspare[2];
};
int stat(const char *path, struct stat *status);
int lstat(const char *path, struct stat *status);
int fstat(int descriptor, struct stat *status);
int chmod(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);
int fchown(int descriptor, uid_t owner, gid_t group);
int mkdir(const char *path, mode_t mode);
int mkfifo(const char *path, mode_t mode);
mode_t umask(mode_t mask);

// xnu: bsd/sys/fcntl.h. open and fcntl take variable arguments: Swift's are in the overlay.
#define O_RDONLY 0x0
#define O_WRONLY 0x1
#define O_RDWR 0x2
#define O_NONBLOCK 0x4
#define O_APPEND 0x8
#define O_NOFOLLOW 0x100
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_NOCTTY 0x20000
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_GETLK 7
#define F_SETLK 8
#define F_FULLFSYNC 51
#define F_SETPROTECTIONCLASS 64
#define F_DUPFD_CLOEXEC 67
#define F_BARRIERFSYNC 85
#define F_OFD_SETLK 90
#define F_OFD_SETLKW 91
#define F_OFD_GETLK 92
#define FD_CLOEXEC 1
#define F_RDLCK 1
#define F_UNLCK 2
#define F_WRLCK 3
#define LOCK_SH 0x1
#define LOCK_EX 0x2
#define LOCK_NB 0x4
#define LOCK_UN 0x8
struct flock {
    off_t l_start;
    off_t l_len;
    pid_t l_pid;
    short l_type;
    short l_whence;
};
int open(const char *path, int flags, ...);
int fcntl(int descriptor, int command, ...);
int flock(int descriptor, int operation);

// xnu: bsd/sys/unistd.h, bsd/sys/stdio.h; Libc: include/unistd.h, include/stdio.h
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define RENAME_SWAP 0x2
#define RENAME_EXCL 0x4
#define PATH_MAX 1024
#define _SC_OPEN_MAX 5
#define _SC_NPROCESSORS_ONLN 58
int access(const char *path, int mode);
int close(int descriptor);
int chown(const char *path, uid_t user, gid_t group);
int dup(int descriptor);
int dup2(int descriptor, int other);
int fsync(int descriptor);
int ftruncate(int descriptor, off_t size);
char *getcwd(char *buffer, size_t size);
uid_t geteuid(void);
uid_t getuid(void);
gid_t getgid(void);
int gethostname(char *name, size_t size);
int getpeereid(int socket, uid_t *user, gid_t *group);
pid_t getpgrp(void);
pid_t getpid(void);
pid_t getppid(void);
int isatty(int descriptor);
int link(const char *old, const char *new);
off_t lseek(int descriptor, off_t offset, int whence);
int pipe(int ends[2]);
ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset);
long sysconf(int name);
ssize_t pwrite(int descriptor, const void *buffer, size_t size, off_t offset);
ssize_t read(int descriptor, void *buffer, size_t size);
ssize_t readlink(const char *path, char *buffer, size_t size);
int rmdir(const char *path);
int symlink(const char *old, const char *new);
pid_t tcgetpgrp(int descriptor);
int truncate(const char *path, off_t size);
int unlink(const char *path);
ssize_t write(int descriptor, const void *buffer, size_t size);
int rename(const char *old, const char *new);
int renamex_np(const char *old, const char *new, unsigned int flags) SINCE(macos, 10.12) SINCE(ios, 10.0);
void _exit(int status) __attribute__((noreturn));

// Libc: include/stdio.h, include/_stdio.h: FILE is a structure with members, so that Swift has a typed pointer. Here it
// has only the first ones.
typedef struct __sFILE {
    unsigned char *_p;
    int _r;
    int _w;
    short _flags;
    short _file;
} FILE;
extern FILE *__stdinp;
extern FILE *__stdoutp;
extern FILE *__stderrp;
void flockfile(FILE *file);
void funlockfile(FILE *file);
#define EOF (-1)
int fclose(FILE *file);
int fflush(FILE *file);
int fileno(FILE *file);
FILE *fopen(const char *path, const char *mode);
int fputs(const char *text, FILE *file);
size_t fread(void *buffer, size_t size, size_t count, FILE *file);
size_t fwrite(const void *buffer, size_t size, size_t count, FILE *file);
int putchar(int character);
int setvbuf(FILE *file, char *buffer, int mode, size_t size);
int snprintf(char *buffer, size_t size, const char *format, ...);
int vsnprintf(char *buffer, size_t size, const char *format, va_list arguments);

// Libc: include/stdlib.h, include/string.h
double pow(double base, double exponent);
int atexit(void (*_Nonnull body)(void));
#define EXIT_FAILURE 1
#define EXIT_SUCCESS 0
void exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
void *calloc(size_t count, size_t size);
void free(void *pointer);
char *getenv(const char *name);
void *malloc(size_t size);
char *mkdtemp(char *pattern);
char *realpath(const char *path, char *resolved);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
int posix_openpt(int flags);
int grantpt(int descriptor);
int unlockpt(int descriptor);
char *ptsname(int descriptor);
double strtod(const char *text, char **end);
int memcmp(const void *left, const void *right, size_t size);
void *memchr(const void *bytes, int byte, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *bytes, int byte, size_t size);
void *memmem(const void *bytes, size_t size, const void *needle, size_t length);
int memset_s(void *bytes, size_t limit, int byte, size_t size);
char *strdup(const char *text);
char *strerror(int number);
int strerror_r(int number, char *buffer, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t limit);
int strcmp(const char *left, const char *right);
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t size);

// Libc: include/pwd.h
struct passwd {
    char *pw_name;
    char *pw_passwd;
    uid_t pw_uid;
    gid_t pw_gid;
    time_t pw_change;
    char *pw_class;
    char *pw_gecos;
    char *pw_dir;
    char *pw_shell;
    time_t pw_expire;
};
int getpwuid_r(uid_t user, struct passwd *entry, char *buffer, size_t size, struct passwd **result);

// xnu: bsd/sys/dirent.h; Libc: include/dirent.h: DIR is a structure with members, of which it has the first here.
struct dirent {
    ino_t d_ino;
    uint64_t d_seekoff;
    uint16_t d_reclen;
    uint16_t d_namlen;
    uint8_t d_type;
    char d_name[1024];
};
typedef struct {
    int __dd_fd;
    size_t __dd_loc;
    size_t __dd_size;
    char *__dd_buf;
} DIR;
DIR *opendir(const char *path);
struct dirent *readdir(DIR *directory);
int closedir(DIR *directory);

// xnu: bsd/sys/mount.h (64-bit inodes)
typedef struct fsid { int32_t val[2]; } fsid_t;
struct statfs {
    uint32_t f_bsize;
    int32_t f_iosize;
    uint64_t f_blocks;
    uint64_t f_bfree;
    uint64_t f_bavail;
    uint64_t f_files;
    uint64_t f_ffree;
    fsid_t f_fsid;
    uid_t f_owner;
    uint32_t f_type;
    uint32_t f_flags;
    uint32_t f_fssubtype;
    char f_fstypename[16];
    char f_mntonname[1024];
    char f_mntfromname[1024];
    uint32_t f_flags_ext;
    uint32_t f_reserved[7];
};
#define MNT_LOCAL 0x1000
int statfs(const char *path, struct statfs *information);

// xnu: bsd/sys/poll.h
typedef unsigned int nfds_t;
struct pollfd {
    int fd;
    short events;
    short revents;
};
#define POLLIN 0x1
#define POLLOUT 0x4
#define POLLERR 0x8
#define POLLHUP 0x10
#define POLLNVAL 0x20
int poll(struct pollfd *descriptors, nfds_t count, int milliseconds);

// xnu: bsd/sys/socket.h, bsd/sys/un.h, bsd/netinet/in.h, bsd/netinet6/in6.h; Libc: include/arpa/inet.h
typedef uint8_t sa_family_t;
typedef uint32_t socklen_t;
typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;
struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};
struct sockaddr_storage {
    uint8_t ss_len;
    sa_family_t ss_family;
    char __ss_pad1[6];
    int64_t __ss_align;
    char __ss_pad2[112];
};
struct sockaddr_un {
    unsigned char sun_len;
    sa_family_t sun_family;
    char sun_path[104];
};
struct in_addr { in_addr_t s_addr; };
struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
struct in6_addr {
    union {
        uint8_t __u6_addr8[16];
        uint16_t __u6_addr16[8];
        uint32_t __u6_addr32[4];
    } __u6_addr;
};
struct sockaddr_in6 {
    uint8_t sin6_len;
    sa_family_t sin6_family;
    in_port_t sin6_port;
    uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 30
#define PF_LOCAL AF_UNIX
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOL_LOCAL 0
#define SOL_SOCKET 0xffff
#define SO_ACCEPTCONN 0x2
#define SO_REUSEADDR 0x4
#define SO_REUSEPORT 0x200
#define SO_SNDBUF 0x1001
#define SO_RCVBUF 0x1002
#define SO_SNDTIMEO 0x1005
#define SO_ERROR 0x1007
#define SO_TYPE 0x1008
#define SO_NOSIGPIPE 0x1022
#define LOCAL_PEERPID 0x2
#define MSG_DONTWAIT 0x80
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define IPPROTO_TCP 6
#define IPPROTO_IPV6 41
#define IPV6_V6ONLY 27
#define TCP_NODELAY 1
int accept(int socket, struct sockaddr *address, socklen_t *size);
int bind(int socket, const struct sockaddr *address, socklen_t size);
int connect(int socket, const struct sockaddr *address, socklen_t size);
int getsockname(int socket, struct sockaddr *address, socklen_t *size);
int getpeername(int socket, struct sockaddr *address, socklen_t *size);
int getsockopt(int socket, int level, int option, void *value, socklen_t *size);
int setsockopt(int socket, int level, int option, const void *value, socklen_t size);
int listen(int socket, int backlog);
ssize_t recv(int socket, void *buffer, size_t size, int flags);
ssize_t send(int socket, const void *buffer, size_t size, int flags);
int shutdown(int socket, int how);
int socket(int family, int type, int protocol);
int socketpair(int family, int type, int protocol, int ends[2]);
int inet_pton(int family, const char *text, void *address);
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);

// Libinfo: lookup.subproj/netdb.h, gen.subproj/ifaddrs.h
#define NI_NUMERICHOST 0x2
#define NI_MAXHOST 1025
struct ifaddrs {
    struct ifaddrs *ifa_next;
    char *ifa_name;
    unsigned int ifa_flags;
    struct sockaddr *ifa_addr;
    struct sockaddr *ifa_netmask;
    struct sockaddr *ifa_dstaddr;
    void *ifa_data;
};
int getifaddrs(struct ifaddrs **interfaces);
void freeifaddrs(struct ifaddrs *interfaces);
int getnameinfo(
    const struct sockaddr *address, socklen_t size, char *host, socklen_t hostSize, char *service, socklen_t serviceSize,
    int flags
);

// xnu: bsd/sys/signal.h, bsd/sys/wait.h; Libc: include/signal.h. SIG_DFL and its siblings are in the overlay.
typedef int sig_atomic_t;
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGTERM 15
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGCHLD 20
#define SIGWINCH 28
#define SIGUSR1 30
#define SIGUSR2 31
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
typedef void (*sig_t)(int);
#ifndef __swift__
#define SIG_DFL ((sig_t)0)
#define SIG_IGN ((sig_t)1)
#endif
struct sigaction {
    union {
        void (*__sa_handler)(int);
        void (*__sa_sigaction)(int, void *, void *);
    } __sigaction_u;
    sigset_t sa_mask;
    int sa_flags;
};
#define sa_handler __sigaction_u.__sa_handler
int kill(pid_t process, int signal);
int raise(int signal);
void (*signal(int number, void (*handler)(int)))(int);
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int sigaddset(sigset_t *set, int signal);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigwait(const sigset_t *set, int *signal);
pid_t waitpid(pid_t process, int *status, int options);
#define WNOHANG 1

// libpthread: include/pthread/pthread.h, include/sys/_pthread/_pthread_types.h
#if __LP64__
#define __PTHREAD_SIZE__ 8176
#define __PTHREAD_ATTR_SIZE__ 56
#define __PTHREAD_MUTEX_SIZE__ 56
#define __PTHREAD_MUTEXATTR_SIZE__ 8
#define __PTHREAD_RWLOCK_SIZE__ 192
#define __PTHREAD_RWLOCKATTR_SIZE__ 16
#else
#define __PTHREAD_SIZE__ 4088
#define __PTHREAD_ATTR_SIZE__ 36
#define __PTHREAD_MUTEX_SIZE__ 40
#define __PTHREAD_MUTEXATTR_SIZE__ 8
#define __PTHREAD_RWLOCK_SIZE__ 124
#define __PTHREAD_RWLOCKATTR_SIZE__ 12
#endif
struct __darwin_pthread_handler_rec {
    void (*__routine)(void *);
    void *__arg;
    struct __darwin_pthread_handler_rec *__next;
};
struct _opaque_pthread_t {
    long __sig;
    struct __darwin_pthread_handler_rec *__cleanup_stack;
    char __opaque[__PTHREAD_SIZE__];
};
struct _opaque_pthread_attr_t {
    long __sig;
    char __opaque[__PTHREAD_ATTR_SIZE__];
};
struct _opaque_pthread_mutex_t {
    long __sig;
    char __opaque[__PTHREAD_MUTEX_SIZE__];
};
struct _opaque_pthread_mutexattr_t {
    long __sig;
    char __opaque[__PTHREAD_MUTEXATTR_SIZE__];
};
struct _opaque_pthread_rwlock_t {
    long __sig;
    char __opaque[__PTHREAD_RWLOCK_SIZE__];
};
struct _opaque_pthread_rwlockattr_t {
    long __sig;
    char __opaque[__PTHREAD_RWLOCKATTR_SIZE__];
};
typedef struct _opaque_pthread_mutexattr_t pthread_mutexattr_t;
typedef struct _opaque_pthread_rwlock_t pthread_rwlock_t;
typedef struct _opaque_pthread_rwlockattr_t pthread_rwlockattr_t;
typedef struct _opaque_pthread_t *pthread_t;
typedef struct _opaque_pthread_attr_t pthread_attr_t;
typedef struct _opaque_pthread_mutex_t pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER {0x32AAABA7, {0}}
// The parameter of a thread's function is not marked, so that it is not optional in Swift.
BEGIN_NONNULL
pthread_t pthread_self(void);
int pthread_create(
    pthread_t *thread, const pthread_attr_t *_Nullable attributes, void *(*_Nonnull body)(void *), void *_Nullable context
);
int pthread_detach(pthread_t thread);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *_Nullable attributes);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *_Nullable attributes);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_sigmask(int how, const sigset_t *_Nullable set, sigset_t *_Nullable old);
END_NONNULL

// xnu: bsd/sys/termios.h, bsd/sys/ttycom.h. TIOCGWINSZ is in the overlay.
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned long speed_t;
struct termios {
    tcflag_t c_iflag;
    tcflag_t c_oflag;
    tcflag_t c_cflag;
    tcflag_t c_lflag;
    cc_t c_cc[20];
    speed_t c_ispeed;
    speed_t c_ospeed;
};
struct winsize {
    unsigned short ws_row;
    unsigned short ws_col;
    unsigned short ws_xpixel;
    unsigned short ws_ypixel;
};
#define ECHO 0x8
#define ECHONL 0x10
#define ICANON 0x100
#define VMIN 16
#define VTIME 17
#define TCSANOW 0
#define TCSAFLUSH 2
#define TCIFLUSH 1
#ifndef __swift__
#define TIOCGWINSZ 0x40087468
#endif
int tcflush(int descriptor, int queue);
int tcgetattr(int descriptor, struct termios *settings);
int tcsetattr(int descriptor, int when, const struct termios *settings);
int ioctl(int descriptor, unsigned long request, ...);

// xnu: bsd/sys/resource.h
typedef uint64_t rlim_t;
struct rlimit {
    rlim_t rlim_cur;
    rlim_t rlim_max;
};
#define RLIMIT_CORE 4
#define RLIMIT_NOFILE 8
// Swift does not import it.
#ifndef __swift__
#define RLIM_INFINITY (((uint64_t)1 << 63) - 1)
#endif
int getrlimit(int resource, struct rlimit *limit);
int setrlimit(int resource, const struct rlimit *limit);

// xnu: libsyscall/wrappers/spawn/spawn.h, bsd/sys/spawn.h: prohibited on tvOS and watchOS.
typedef void *posix_spawn_file_actions_t;
typedef void *posix_spawnattr_t;
#define POSIX_SPAWN_SETSIGDEF 0x4
#define POSIX_SPAWN_SETSIGMASK 0x8
#define POSIX_SPAWN_SETSID 0x400
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000
#define NO_SPAWN NEVER(tvos) NEVER(watchos)
int posix_spawn(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const arguments[], char *const environment[]
) NO_SPAWN;
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int descriptor, int other) NO_SPAWN;
int posix_spawn_file_actions_addinherit_np(posix_spawn_file_actions_t *actions, int descriptor) NO_SPAWN;
int posix_spawn_file_actions_addopen(
    posix_spawn_file_actions_t *actions, int descriptor, const char *path, int flags, mode_t mode
) NO_SPAWN;
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions) NO_SPAWN;
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions) NO_SPAWN;
int posix_spawnattr_destroy(posix_spawnattr_t *attributes) NO_SPAWN;
int posix_spawnattr_init(posix_spawnattr_t *attributes) NO_SPAWN;
int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags) NO_SPAWN;
int posix_spawnattr_setsigdefault(posix_spawnattr_t *attributes, const sigset_t *signals) NO_SPAWN;
int posix_spawnattr_setsigmask(posix_spawnattr_t *attributes, const sigset_t *signals) NO_SPAWN;
pid_t fork(void) NO_SPAWN;
int execv(const char *path, char *const arguments[]) NO_SPAWN;

#if TARGET_OS_OSX
// xnu: libsyscall/wrappers/libproc/libproc.h, bsd/sys/proc_info.h, bsd/sys/ptrace.h: headers of macOS's SDK alone.
// Swift does not import it.
#ifndef __swift__
#define PROC_PIDPATHINFO_MAXSIZE (4 * PATH_MAX)
#endif
#define PT_DENY_ATTACH 31
int proc_pidpath(int process, void *buffer, uint32_t size);
int ptrace(int request, pid_t process, caddr_t address, int data);
#endif

#endif
