#include "app/window/lock_file.h"

#include <QFile>

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace fw::ui {

using namespace Qt::StringLiterals;

QString whyNoLock(const QString& name) {
    constexpr off_t largest = 64 << 10; // a lock holds four lines
    struct stat found = {};
    if (lstat(QFile::encodeName(name).constData(), &found) != 0)
        return errno == ENOENT ? QString() : QString::fromLocal8Bit(strerror(errno));
    return S_ISREG(found.st_mode) && found.st_size <= largest ? QString()
                                                              : u"%1 is no lock"_s.arg(name);
}

} // namespace fw::ui
