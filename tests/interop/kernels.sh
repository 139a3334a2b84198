#!/usr/bin/env bash
# What `snaphook hold` does on other kernels: Debian's of version 11, 12 and 13, in a virtual machine. Needs x86-64 Linux,
# qemu-system-x86_64, busybox, cpio, curl, and the network once. Not in CI: `crates/snaphook-hold/tests/it/off.rs` switches the
# same facilities off.
#
#     tests/interop/kernels.sh [--program PATH] [KERNEL…]
#
# KERNEL is 5.10, 6.1 or 6.12; all of them where none is named. Prints what each case does, and fails on a difference from what is
# written here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
kept=$root/target/kernels
program=$root/target/debug/snaphook
kernels=()
while (($#)); do
  case $1 in
    --program) program=$(realpath "$2") && shift 2 ;;
    5.10 | 6.1 | 6.12) kernels+=("$1") && shift ;;
    *) printf 'unknown: %s (see the head of %s)\n' "$1" "$0" >&2 && exit 64 ;;
  esac
done
((${#kernels[@]})) || kernels=(5.10 6.1 6.12)

# The packages of kernels, with their sums.
package() {
  case $1 in
    5.10) echo linux-image-5.10.0-32-cloud-amd64_5.10.223-1_amd64.deb fb4a1229952d892138532c1d9f40a7fd0bd408e4dcf969c12e4524b6a89fdcb8 ;;
    6.1) echo linux-image-6.1.0-50-cloud-amd64_6.1.176-1_amd64.deb efe19f605b6f54a8352e68d85a629abb2d30b72a085faef603a9152590baa791 ;;
    6.12) echo linux-image-6.12.117+deb13-cloud-amd64_6.12.117-1_amd64.deb e9893e5295d0549b8852611f12a4b8b5f6cc4b8128dcc2086b9847793b904ab7 ;;
  esac
}

# What each case has to print: the exit code, and whether the file was changed.
expected() {
  case $1 in
    5.10) printf '%s\n' \
      'root guarded 125 unchanged' 'user guarded 125 unchanged' 'root weaker 125 unchanged' 'user weaker 125 unchanged' ;;
    6.1) printf '%s\n' \
      'root guarded 125 unchanged' 'user guarded 125 unchanged' 'root weaker 0 unchanged' 'user weaker 0 unchanged' ;;
    6.12) printf '%s\n' \
      'root guarded 0 unchanged' 'user guarded 0 unchanged' 'root weaker 0 unchanged' 'user weaker 0 unchanged' ;;
  esac
}

mkdir -p "$kept"
# The files of the machine: the program, bash and busybox, with the libraries that they need.
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
mkdir -p "$files"/{bin,dev,etc,proc,sys,tmp,usr/bin,home/user,root}
chmod 755 "$files"
cp "$(command -v bash)" "$(command -v busybox)" "$(command -v setpriv)" "$files/bin"
cp "$program" "$files/usr/bin/snaphook"
strip "$files/usr/bin/snaphook"
for file in "$files"/bin/* "$files/usr/bin/snaphook"; do
  ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$files$(dirname "$library")"
    cp -nL "$library" "$files$library"
  done
done
for name in mount chown mkdir poweroff; do ln -s busybox "$files/bin/$name"; done
printf 'root:x:0:0::/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n' >"$files/etc/passwd"
printf 'root:x:0:\nuser:x:1000:\n' >"$files/etc/group"
cat >"$files/init" <<'INIT'
#!/bin/bash
export PATH=/usr/bin:/bin NO_COLOR=1
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
# A file system of the kernel's start cannot be taken apart; what is held lies on another one.
mount -t tmpfs home /home
mount -t tmpfs root /root
mkdir -p /home/user
chmod 1777 /tmp
chown user:user /home/user
try() {
  local who=$1 home=$2 name=$3 folder=$2/.config/snaphook run
  shift 3
  mkdir -p "$folder/hooks"
  echo before >"$folder/hooks/guard.lua"
  chown -R "$who:$who" "$home/.config"
  run="cd $home && HOME=$home snaphook hold $* -- 'echo after > $folder/hooks/guard.lua; true'"
  if [[ $who == root ]]; then bash -c "$run"; else setpriv --reuid 1000 --regid 1000 --clear-groups bash -c "$run"; fi
  local code=$? now
  now=$(<"$folder/hooks/guard.lua")
  [[ $now == before ]] && now=unchanged
  echo "CASE $who $name $code $now"
}
echo "== $(</proc/version)"
snaphook hold --check
try root /root guarded
try user /home/user guarded
try root /root weaker --allow-weaker
try user /home/user weaker --allow-weaker
poweroff -f
INIT
chmod +x "$files/init"
(cd "$files" && find . | cpio --quiet -o -H newc -R 0:0 | gzip -1) >"$kept/files.gz"

failed=0
for kernel in "${kernels[@]}"; do
  read -r file sum < <(package "$kernel")
  if [[ ! -e $kept/$kernel.vmlinuz ]]; then
    curl -fsS -o "$kept/$file" "http://deb.debian.org/debian/pool/main/l/linux-signed-amd64/$file"
    echo "$sum  $kept/$file" | sha256sum --check --quiet
    dpkg-deb --fsys-tarfile "$kept/$file" | tar -xO --wildcards './boot/vmlinuz-*' >"$kept/$kernel.vmlinuz"
  fi
  # By emulation: KVM within a virtual machine is often not what it says.
  machine=(-accel tcg -cpu max -m 1024 -nographic -no-reboot -nic none)
  machine+=(-kernel "$kept/$kernel.vmlinuz" -initrd "$kept/files.gz")
  log=$kept/$kernel.log
  timeout 300 qemu-system-x86_64 "${machine[@]}" -append 'console=ttyS0 quiet panic=-1' </dev/null 2>&1 | tr -d '\r' >"$log" || true
  sed -n '/^== /,$p' "$log"
  if diff <(expected "$kernel") <(sed -n 's/^CASE //p' "$log"); then
    printf 'ok %s\n\n' "$kernel"
  else
    printf 'not ok %s\n\n' "$kernel"
    failed=1
  fi
done
exit "$failed"
